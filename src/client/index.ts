/** The consumer's side: reads projections and invokes granted tools, and can write nothing back. */
export { createFlowClient, type FlowClient, FlowClientError, type FlowClientOptions } from './flow-client.ts'
export { HOSTED_HOSTNAMES, requirePinnedBase } from './hostname-pin.ts'
export { FLOW_PROJECTION_WRITE_BACK_AUTHORIZED, isWriteBackAuthorized } from './write-back-lock.ts'
