import { keyFor } from './key.ts'
import type { Reference } from './references.ts'

/** Reference to an environment, which several kinds have. */

export const toEnvironment = (name: string | undefined, path = '$.environment'): Reference[] =>
  name === undefined ? [] : [{ key: keyFor('Environment', name), path }]

/** Returns the references of a scope; the environment of an instance is implied. */
export const toScope = ({ environment, instance }: { environment?: string; instance?: string }): Reference[] =>
  instance === undefined
    ? toEnvironment(environment)
    : [{ key: keyFor('ModuleInstance', environment, instance), path: '$.instance' }]

export const toCloudAccount = (name: string | undefined, path: string): Reference[] =>
  name === undefined ? [] : [{ key: keyFor('CloudAccount', name), path }]

export const toTeams = (names: readonly string[] | undefined, path: string): Reference[] =>
  (names ?? []).map((name, index) => ({ key: `TEAM ${name}`, path: `${path}[${index}]` }))

export const toEnvironments = (names: readonly string[] | undefined): Reference[] =>
  (names ?? []).flatMap((name, index) => toEnvironment(name, `$.environments[${index}]`))

export const toPipeline = (name: string | undefined): Reference[] =>
  name === undefined ? [] : [{ key: keyFor('Pipeline', name), path: '$.pipeline' }]
