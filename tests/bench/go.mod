module effectivelyonce/tests/bench

go 1.26.0

require (
	effectivelyonce v0.0.0
	github.com/reugn/go-streams v0.13.0
)

replace effectivelyonce => ../..
