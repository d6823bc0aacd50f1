# tools/same/normal.sed: what another run of the same augur says otherwise: seconds, memory, dates, placing of pictures.
s/\b[0-9]+(\.[0-9]+)? s\b/T s/g
s/"(peak_kib|time|[a-z_]*seconds)": ?[0-9.e+-]+/"\1": T/g
s/\btime="[0-9.]+"/time="T"/g
s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z/DATE/g
s/^((must-hb|lockset|graph|box|octagon|polyhedron|solver) +[0-9]+) +[0-9.]+/\1 T/
s/[0-9.]+ MiB/M MiB/g
s/"([a-z_]*_ms)": ?[0-9.e+-]+/"\1": T/g
# Graphviz places the threads of a picture in the order of addresses.
s/"svg": ?"([^"\\]|\\.)*"/"svg": PICTURE/g
s/^seconds( +)[0-9.]+ graph, [0-9.]+ ranges/seconds\1T graph, T ranges/
