module hookline/test/sdk/hookline-go

go 1.25

require github.com/hookline/hookline/clients/go v0.1.0

replace github.com/hookline/hookline/clients/go => ../../../clients/go
