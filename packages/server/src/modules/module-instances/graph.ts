import type { ModuleInstanceStatus } from '@sluice/contract'
import type { InputDefinition } from '../module-versions/config/schema.ts'
import { type Offer, type Referred, type Resolution, resolveInputs } from './inputs/resolve.ts'

type Json = Record<string, unknown>

/** Stored or drafted instance with everything that its templates can read. */
export type InstanceNode = {
  id: string
  givenId: string
  type: string
  status: ModuleInstanceStatus
  projectId: string
  projectGivenId: string
  environmentId: string
  environmentGivenId: string
  /** As the user supplied it. */
  input: Json
  version: { id: string; version: string; config: Json }
  /** With the non-sensitive outputs of the last apply. */
  stack: { id: string; outputs: Json | null } | undefined
  /** Ids of the instances that its stored inputs refer to, by input path. */
  references: ReadonlyMap<string, string>
}

/** Returns the inputs that a module's config declares. */
export const inputsOf = ({ config }: { config: Json }): InputDefinition[] =>
  (config.inputs as InputDefinition[] | null | undefined) ?? []

/** Maximum length of a chain of references, because each uses stack space. */
const deepest = 50

/** Data that resolving requested and that is not loaded yet. */
export type MissingReferences = {
  /** Ids and givenIds of instances, by environment. */
  names: Map<string, Set<string>>
  /** Addresses of option providers to query. */
  addresses: Set<string>
}

/**
 * Instances and the instances they refer to. Resolving does no I/O: it records missing data in `wanted`, and the caller
 * loads that and resolves again.
 */
export class InstanceGraph {
  readonly wanted: MissingReferences = { names: new Map(), addresses: new Set() }
  readonly #instances = new Map<string, InstanceNode>()
  readonly #offers = new Map<string, readonly Offer[]>()
  readonly #asked = new Set<string>()
  readonly #resolved = new Map<string, Resolution>()
  readonly #resolving: InstanceNode[] = []

  add(instances: readonly InstanceNode[]): void {
    for (const one of instances) this.#instances.set(one.id, one)
    this.#resolved.clear()
  }

  /** Adds the options of a provider. */
  offer(address: string, offers: readonly Offer[]): void {
    this.#offers.set(address, offers)
    this.wanted.addresses.delete(address)
    this.#resolved.clear()
  }

  /** Marks names as looked up, so that those still missing count as nonexistent. */
  markAsked(environmentId: string, names: Iterable<string>): void {
    for (const name of names) this.#asked.add(`${environmentId} ${name}`)
    this.wanted.names.delete(environmentId)
    this.#resolved.clear()
  }

  has(id: string): boolean {
    return this.#instances.has(id)
  }

  find(id: string): InstanceNode {
    const found = this.#instances.get(id)
    if (!found) throw new Error(`the module instance ${id} was not loaded`)
    return found
  }

  /** Resolves the inputs of an instance. */
  resolve(id: string): Resolution {
    const known = this.#resolved.get(id)
    if (known) return known
    const placed = this.find(id)
    this.#resolving.push(placed)
    const resolution = resolveInputs(
      inputsOf(placed.version),
      placed.input,
      {
        of: 'module',
        roots: placeRoots(placed),
        referred: (type, name, path) => this.#referred(placed, type, name, path),
        offered: (address) => this.#offered(address),
      },
      'input',
    )
    this.#resolving.pop()
    this.#resolved.set(id, resolution)
    return resolution
  }

  #offered(address: string): readonly Offer[] {
    const offers = this.#offers.get(address)
    if (!offers) this.wanted.addresses.add(address)
    return offers ?? []
  }

  #referred(from: InstanceNode, type: string, name: string, path: string): Referred | string {
    const found = this.#named(from, name, path)
    if (!found || found.status === 'DESTROYED') return `names no ${type} in this environment: ${name}`
    if (found.type !== type) return `must name a ${type}; ${found.givenId} is a ${found.type}`
    if (found.status === 'DESTROYING') return `names ${found.givenId}, which is being destroyed`
    const start = this.#resolving.indexOf(found)
    if (start >= 0) {
      const circle = [...this.#resolving.slice(start), found].map(({ givenId }) => givenId).join(' → ')
      return `would make a circle of references: ${circle}`
    }
    if (this.#resolving.length > deepest) return `names ${found.givenId}, and so on over more than ${deepest} instances`
    const { values } = this.resolve(found.id)
    return { id: found.id, input: values, output: found.stack?.outputs ?? {} }
  }

  /** Finds a referenced instance by the stored reference, which survives a renaming, or else by id or givenId. */
  #named(from: InstanceNode, name: string, path: string): InstanceNode | undefined {
    const stored = from.references.get(path)
    if (stored !== undefined) return this.#instances.get(stored)
    const all = [...this.#instances.values()].filter(({ environmentId }) => environmentId === from.environmentId)
    const found =
      all.find(({ id }) => id === name) ?? all.find(({ givenId, status }) => givenId === name && status !== 'DESTROYED')
    if (!found && !this.#asked.has(`${from.environmentId} ${name}`)) this.#want(from.environmentId, name)
    return found
  }

  #want(environmentId: string, name: string): void {
    const names = this.wanted.names.get(environmentId) ?? new Set()
    this.wanted.names.set(environmentId, names.add(name))
  }
}

/** Returns the values that templates can read before the inputs are resolved. */
export const placeRoots = ({ id, givenId, projectGivenId, environmentGivenId }: InstanceNode) => ({
  module: { id, given_id: givenId },
  project: { given_id: projectGivenId },
  environment: { given_id: environmentGivenId },
})
