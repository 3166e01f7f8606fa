@testable import GatewayPipeline
