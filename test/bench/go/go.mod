module hookline/test/bench/go

go 1.25
