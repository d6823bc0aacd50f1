# tools/same/normal.sed: what another run of the same augur says otherwise: seconds, memory, dates.
s/\b[0-9]+(\.[0-9]+)? s\b/T s/g
s/"(seconds|peak_kib|time|cpu_seconds|[a-z_]*seconds)": ?[0-9.e+-]+/"\1": T/g
s/\btime="[0-9.]+"/time="T"/g
s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z/DATE/g
s/^((must-hb|lockset|graph|box|octagon|polyhedron|solver) +[0-9]+) +[0-9.]+/\1 T/
s/[0-9.]+ MiB/M MiB/g
