/**
 * What runners and the API say to each other: see docs/runners.md. No part of the public interface. What a runner sends
 * is a schema, since anybody may send something; what it is told is a type, since a runner believes its API.
 */
export * from './attempt.ts'
export * from './build.ts'
export * from './claim.ts'
export * from './constants.ts'
export * from './iac.ts'
export * from './order.ts'
