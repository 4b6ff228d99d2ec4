// An echo server on Hyper and Tokio as the peer of `pilfer serve` in the experiment `serve`: the body of a request comes back; a
// request without one gets its target.
//
//   pilfer_hyper_peer ADDRESS WORKERS      prints "listening on ADDRESS" with the port it has got; ends when standard input does
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Method, Request, Response, Server};
use std::convert::Infallible;
use std::io::{Read, Write};
use std::net::SocketAddr;

async fn answer(request: Request<Body>) -> Result<Response<Body>, Infallible> {
    let (body, kind) = match *request.method() {
        Method::POST | Method::PUT => (request.into_body(), "application/octet-stream"),
        _ => (Body::from(request.uri().path().to_owned()), "text/plain; charset=utf-8"),
    };
    // As `pilfer serve` does: both answer with the same fields.
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

fn refuse(why: &str) -> ! {
    eprintln!("pilfer_hyper_peer: {why}");
    std::process::exit(2)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, workers] = arguments.as_slice() else { refuse("ADDRESS WORKERS") };
    let Ok(address) = address.parse::<SocketAddr>() else { refuse("this is no address") };
    let workers = match workers.parse::<usize>() {
        Ok(count) if count > 0 => count,
        _ => refuse("this is no number of workers"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().expect("a runtime");
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    runtime.block_on(async {
        let service = make_service_fn(|_| async { Ok::<_, Infallible>(service_fn(answer)) });
        let server = match Server::try_bind(&address) {
            Ok(builder) => builder.tcp_nodelay(true).http1_only(true).serve(service),
            Err(why) => {
                eprintln!("pilfer_hyper_peer: {why}");
                std::process::exit(1)
            }
        };
        println!("listening on {}", server.local_addr());
        let _ = std::io::stdout().flush();
        if let Err(why) = server.await {
            eprintln!("pilfer_hyper_peer: {why}");
            std::process::exit(1)
        }
    });
}
