module github.com/hookline/hookline/clients/go

go 1.25
