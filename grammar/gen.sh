#!/bin/sh
# Regenerates grammar/gen from IVM.g4 with the official ANTLR tool, pinned by
# checksum. The output is committed: building ivmc needs no Java. Two runs give
# the same bytes.
#
# ANTLR_JAR names the jar if it is not in the local Maven repository; a missing
# one is fetched with mvn.
set -eu

version=4.13.1
sha256=bc13a9c57a8dd7d5196888211e5ede657cb64a3ce968608697e4f668251a8487
jar=${ANTLR_JAR:-$HOME/.m2/repository/org/antlr/antlr4/$version/antlr4-$version-complete.jar}

cd "$(dirname "$0")"
if [ ! -f "$jar" ]; then
    mvn -q dependency:get -Dartifact=org.antlr:antlr4:$version:jar:complete
fi
echo "$sha256  $jar" | sha256sum -c - >/dev/null || {
    echo "gen.sh: $jar is not antlr4 $version (checksum differs)" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
java -jar "$jar" -Dlanguage=Go -Werror -no-listener -no-visitor -package gen -o "$work" IVM.g4

rm -f gen/ivm*.go
for file in "$work"/*.go; do
    out=gen/$(basename "$file")
    # The tool's own first line holds the header that linters look for; it is
    # written afresh so that it never depends on how the tool was called.
    { echo "// Code generated from IVM.g4 by ANTLR $version. DO NOT EDIT."; grep -v '^// Code generated' "$file"; } >"$out"
    gofmt -w "$out"
done
