/**
 * The protocol between runners and the API, which is not part of the public interface: see docs/reference/runners.md.
 * What a runner sends is a schema, because anyone can send it; what it receives is a type, because it trusts its API.
 */
export * from './attempt.ts'
export * from './build.ts'
export * from './claim.ts'
export * from './constants.ts'
export * from './iac.ts'
export * from './order.ts'
