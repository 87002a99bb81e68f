//! Sends every call type and a bulk of track calls with the unmodified crate `segment`, as a customer's program would: the first ones
//! in requests of their own, the bulk in batches.
//!
//! cargo run -- <ingest URL> <write key> <bulk>
use segment::message::{Alias, Group, Identify, Message, Page, Screen, Track, User};
use segment::{Batcher, Client, HttpClient};
use serde_json::json;
use time::{format_description::well_known::Rfc3339, OffsetDateTime};

type Failure = Box<dyn std::error::Error>;

fn user() -> User {
    User::UserId { user_id: "rust-user".to_owned() }
}

fn every_call_type() -> Result<Vec<Message>, Failure> {
    let anonymous = User::AnonymousId { anonymous_id: "rust-anonymous".to_owned() };
    let at = OffsetDateTime::parse("2012-12-02T00:30:08.276123456Z", &Rfc3339)?;
    let order = json!({ "total": 12.5, "tiny": 1e-7, "10": "ten", "9": "nine", "note": "<a & b> ✓" });
    let webhooks = Some(json!({ "All": false, "Webhooks": true }));
    let elsewhere = Some(json!({ "All": false }));
    Ok(vec![
        Identify { user: user(), traits: json!({ "name": "Ada", "plan": "pro" }), ..Default::default() }.into(),
        Track { user: user(), event: "Order Completed".to_owned(), properties: order, integrations: webhooks, ..Default::default() }.into(),
        Track { user: user(), event: "Elsewhere only".to_owned(), integrations: elsewhere, ..Default::default() }.into(),
        Page { user: user(), name: "Home".to_owned(), properties: json!({ "url": "https://example.com/" }), ..Default::default() }.into(),
        Screen { user: user(), name: "Main".to_owned(), ..Default::default() }.into(),
        Group { user: user(), group_id: "rust-group".to_owned(), traits: json!({ "name": "Initech" }), ..Default::default() }.into(),
        Alias { user: user(), previous_id: "rust-anonymous".to_owned(), ..Default::default() }.into(),
        Track { user: anonymous, event: "Anonymous".to_owned(), timestamp: Some(at), ..Default::default() }.into(),
    ])
}

async fn send(host: String, key: String, bulk: u32) -> Result<(), Failure> {
    let client = HttpClient::new(reqwest::Client::new(), host);
    for message in every_call_type()? {
        client.send(key.clone(), message).await?;
    }
    let mut batcher = Batcher::new(None);
    for i in 0..bulk {
        let user = User::UserId { user_id: format!("rust-bulk-{}", i % 50) };
        let track = Track { user, event: "Bulk".to_owned(), properties: json!({ "i": i }), ..Default::default() };
        if let Some(track) = batcher.push(track)? {
            client.send(key.clone(), std::mem::replace(&mut batcher, Batcher::new(None)).into_message()).await?;
            batcher.push(track)?;
        }
    }
    client.send(key, batcher.into_message()).await?;
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("an argument is missing");
    let (host, key, bulk) = (next()?, next()?, next()?.parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(send(host, key, bulk))
}
