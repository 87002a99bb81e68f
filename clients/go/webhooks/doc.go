// Package webhooks receives what Hookline delivers: it verifies both of its
// signatures in constant time, reads the body within a bound, and gives the call.
//
//	http.Handle("/hook", &webhooks.Handler{
//		Secrets: []string{"<the destination's shared secret>"},
//		Handle: func(ctx context.Context, call *webhooks.Call) error {
//			user := "userId " + call.UserId
//			if call.UserId == "" {
//				user = "anonymousId " + call.AnonymousId
//			}
//			return store(ctx, call.MessageId, user, call.Body)
//		},
//	})
//
// X-Signature is what every destination with a shared secret sends. It has no
// time: somebody who recorded a request can send it again. Destinations with the option
// standardWebhooks also send the headers of Standard Webhooks, which refuse old requests.
//
// A call can arrive more than once, as a lost answer makes Hookline try again for up to
// four hours. Its MessageId stays the same: remember those that you have handled, each with
// its user (UserId, else AnonymousId), as several users' calls may have one MessageId.
package webhooks
