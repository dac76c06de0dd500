/**
 * Protocol between runners and the API, not part of the public API: see docs/reference/runners.md. Requests are
 * schemas, because anyone can send them. Responses are types, because runners trust their API.
 */
export * from './attempt.ts'
export * from './build.ts'
export * from './claim.ts'
export * from './constants.ts'
export * from './iac.ts'
export * from './order.ts'
export * from './step-artifact.ts'
