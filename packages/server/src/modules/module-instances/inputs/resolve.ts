import { ExpressionError, render, renderText } from '@sluice/expressions'
import { shortened } from '../../../platform/http/faults.ts'
import type { InputDefinition, InputOption } from '../../module-versions/config/schema.ts'
import { fieldsOf, isObject, type ValueFinding, valueErrors } from './check.ts'
import { allHold } from './conditions.ts'
import { type Declared, declaredIn, isHeading, memberPath, referredType } from './declared.ts'
import { type PatternCheck, runPatternChecks } from './patterns/settle.ts'

type Json = Record<string, unknown>

/** Error: the path of the value in the request, and the rest of the sentence. */
export type InputFault = { path: string; message: string }

/** Values that mapped inputs read from a referenced instance. */
export type Referred = { id: string; input: Json; output: Json }

/** Option that a provider offers for an input. */
export type Offer = { value: string | number; fields?: Json }

/** Environment in which the inputs of a scope are resolved. */
export type Surroundings = {
  /** Scope that templates read as `module.input.<id>`, `build.input.<id>` or `deploy.input.<id>`. */
  of: 'module' | 'build' | 'deploy'
  /** Variables that templates can read besides the inputs. */
  roots: Json
  /** Finds the instance that a reference names, or returns the reason why it is not allowed. */
  referred?: (type: string, name: string, path: string) => Referred | string
  /** Returns the options at a provider's rendered address. */
  offered?: (address: string) => readonly Offer[]
  /** Inputs outside the scope that conditions can name. */
  outer?: Json
}

/** Input with its visibility and value. `path` distinguishes items: `listeners[0].port`. */
export type SeenInput = {
  path: string
  definition: InputDefinition
  isVisible: boolean
  value: unknown
  /** Visible options; undefined if the input lists none. */
  options?: readonly InputOption[]
  /** Rendered address of the options' provider. */
  provider?: string
}

export type Reference = { path: string; id: string }

export type Resolution = {
  /** Values of all inputs; null if hidden or empty. */
  values: Json
  /** In form order, with item fields after their list. */
  seen: SeenInput[]
  /** Instances to which visible inputs refer. */
  references: Reference[]
  /** All errors in form order. Reading them runs the pattern checks, which may use a worker thread. */
  readonly faults: InputFault[]
}

/**
 * Resolves the inputs of a module, build or deployment: hidden inputs become null, missing ones get their default, and
 * all others are validated. `path` is the position of the values in the request. User errors are returned, not thrown.
 */
export function resolveInputs(
  definitions: readonly InputDefinition[],
  given: Json,
  surroundings: Surroundings,
  path: string,
): Resolution {
  const room = { fields: maxFields, faults: maxFaults }
  const values = new Scope(definitions, given, { surroundings, path: '', outer: undefined, room })
  return values.resolution(path)
}

/** Error, or a pattern check that results in an error if the text does not match. */
type Finding = InputFault | PatternCheck<InputFault>

type Place = { surroundings: Surroundings; path: string; outer: Scope | undefined; room: Room }

/** Remaining budget of a request, however its inputs are nested. */
type Room = { fields: number; faults: number }

/** Maximum number of item fields per request. The largest known definitions have fewer than 200. */
const maxFields = 10_000
/** Maximum number of errors to report. */
const maxFaults = 1_000
/** Maximum depth of dependencies between inputs, because each level uses stack space. */
const deepest = 100

/** Inputs of a module or fields of one item. Each is resolved on first access. */
class Scope {
  readonly #place: Place
  readonly #given: Json
  readonly #declared: Declared[]
  readonly #byId: Map<string, Declared>
  readonly #values = new Map<string, unknown>()
  readonly #shown = new Set<string>()
  readonly #items = new Map<string, Scope[]>()
  readonly #resolving: string[] = []
  readonly #findings = new Map<string, Finding[]>()
  /** Errors already reported, to avoid duplicates. */
  readonly #told = new Set<string>()
  readonly #references: Reference[] = []
  readonly #roots: Json

  constructor(definitions: readonly InputDefinition[], given: Json, place: Place) {
    this.#place = place
    this.#given = given
    this.#declared = declaredIn(definitions)
    this.#byId = new Map(this.#declared.map((one) => [one.definition.id, one]))
    this.#roots = place.outer ? place.outer.#roots : this.#ownRoots()
  }

  resolution(path: string): Resolution {
    const values = this.#all()
    const seen = this.#seen()
    const inOrder = [...this.#unknown(), ...this.#findingsInOrder()]
    let faults: InputFault[] | undefined
    return {
      values,
      seen,
      references: this.#referencesInOrder(),
      get faults() {
        faults ??= runPatternChecks(inOrder).map((fault) => ({ ...fault, path: under(path, fault.path) }))
        return faults
      },
    }
  }

  /** Reads an input of this scope or an enclosing one. */
  #read(id: string): unknown {
    if (this.#byId.has(id)) return this.#valueOf(id)
    if (this.#place.outer) return this.#place.outer.#read(id)
    const { outer = {} } = this.#place.surroundings
    return Object.hasOwn(outer, id) ? (outer[id] ?? null) : null
  }

  #valueOf(id: string): unknown {
    const known = this.#values.get(id)
    if (known !== undefined) return known
    const declared = this.#byId.get(id)
    if (!declared || isHeading(declared.definition)) return null
    if (this.#resolving.includes(id)) {
      const circle = [...this.#resolving.slice(this.#resolving.indexOf(id)), id].join(' → ')
      this.#fault(id, `cannot be resolved, it depends on itself: ${circle}`)
      return null
    }
    if (this.#resolving.length === deepest) {
      this.#fault(id, `cannot be resolved, more than ${deepest} inputs in a row depend on each other`)
      return null
    }
    this.#resolving.push(id)
    const isShown = this.#isShown(declared)
    if (isShown) this.#shown.add(id)
    const value = isShown ? this.#resolve(declared) : null
    this.#resolving.pop()
    this.#values.set(id, value)
    return value
  }

  #isShown({ definition, reference }: Declared): boolean {
    if (reference && !this.#isShown(reference)) return false
    return allHold(definition.show_when, (id) => this.#read(id))
  }

  #resolve(declared: Declared): unknown {
    const { definition } = declared
    const own = Object.hasOwn(this.#given, definition.id)
    const value = (own ? this.#given[definition.id] : this.#defaultOf(declared)) ?? null
    const findings = valueErrors(definition, value, this.#shownOptions(definition))
    for (const finding of findings) this.#find(definition.id, finding, (message) => this.#explain(declared, message))
    if (findings.length > 0) return value
    return this.#itemsOf(definition, value)
  }

  /** Explains that a mapped value is missing because of the referenced instance. */
  #explain({ reference }: Declared, message: string): string {
    const name = reference && this.#valueOf(reference.definition.id)
    if (message !== 'is required' || typeof name !== 'string') return message
    return `${message}, and ${name} does not give it: apply that first, or give the value here`
  }

  #defaultOf({ definition, reference }: Declared): unknown {
    const { default: fallback = null } = definition
    if (fallback === '$values:first') return this.#firstOption(definition)
    const roots = reference ? { ...this.#roots, ref: this.#referredBy(reference) } : this.#roots
    const value = this.#render(definition.id, fallback, roots)
    return Array.isArray(fallback) && Array.isArray(value) ? value.filter((one) => one !== null) : value
  }

  #render(id: string, template: unknown, roots: Json): unknown {
    try {
      return render(template, roots)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      for (const { message } of error.faults) this.#fault(id, `has a default that cannot be rendered: ${message}`)
      return null
    }
  }

  #referredBy({ definition }: Declared): unknown {
    const found = this.#found(definition)
    return found ? { input: found.input, stack: { output: found.output } } : null
  }

  #found(definition: InputDefinition): Referred | undefined {
    const type = referredType(definition)
    const name = this.#valueOf(definition.id)
    const { referred } = this.#place.surroundings
    if (type === undefined || typeof name !== 'string' || name === '' || !referred) return undefined
    const found = referred(type, name, memberPath(this.#place.path, definition.id))
    return typeof found === 'string' ? undefined : found
  }

  #shownOptions({ values }: InputDefinition): InputOption[] | undefined {
    if (!Array.isArray(values)) return undefined
    return values.filter(({ show_when }) => allHold(show_when, (id) => this.#read(id)))
  }

  #firstOption(definition: InputDefinition): unknown {
    const { type, fields } = definition
    const [listed] = this.#shownOptions(definition) ?? []
    if (listed) return type === 'compound' ? fieldsOf(listed, fields ?? []) : listed.value
    const provider = this.#providerOf(definition)
    const [offer] = (provider && this.#place.surroundings.offered?.(provider)) || []
    return (type === 'compound' ? offer?.fields : offer?.value) ?? null
  }

  /** Returns the provider's address with templates rendered and encoded for a query string. */
  #providerOf({ id, values }: InputDefinition): string | undefined {
    if (typeof values !== 'string') return undefined
    try {
      return renderText(values, this.#roots, '', encodeURIComponent)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      for (const { message } of error.faults) this.#fault(id, `has options that cannot be rendered: ${message}`)
      return undefined
    }
  }

  #itemsOf(definition: InputDefinition, value: unknown): unknown {
    const { id, type } = definition
    const fields = definition.item_inputs ?? []
    if (type === 'object_array' && Array.isArray(value)) {
      return value.map((item, index) => this.#item(id, fields, item, `[${index}]`))
    }
    if (type !== 'object_map' || !isObject(value)) return value
    const entries = Object.entries(value).map(([key, item]) => {
      const below = memberPath('', key).replace(/^(?!\[)/, '.')
      const faultOf = (message: string) => ({ below, message: `has a key that ${message}` })
      this.#find(id, { patterns: definition.key?.patterns ?? [], text: key, faultOf })
      return [key, this.#item(id, fields, item, below)]
    })
    return Object.fromEntries(entries)
  }

  #item(id: string, definitions: readonly InputDefinition[], item: unknown, below: string): unknown {
    if (!isObject(item)) {
      this.#fault(id, 'must be an object', below)
      return null
    }
    const { room } = this.#place
    room.fields -= definitions.length
    if (room.fields < 0) {
      this.#fault(id, `is too much: all items together can have at most ${maxFields} fields`)
      return null
    }
    const place = { ...this.#place, path: memberPath(this.#place.path, id) + below, outer: this as Scope }
    const scope = new Scope(definitions, item, place)
    const items = this.#items.get(id) ?? []
    this.#items.set(id, items)
    items.push(scope)
    return scope.#all()
  }

  #all(): Json {
    const entries = this.#declared
      .filter(({ definition }) => !isHeading(definition))
      .map(({ definition }) => {
        const value = this.#valueOf(definition.id)
        this.#note(definition)
        return [definition.id, value]
      })
    return Object.fromEntries(entries)
  }

  /** Records the instance of a reference, or the error. */
  #note(definition: InputDefinition): void {
    const type = referredType(definition)
    const name = this.#valueOf(definition.id)
    const { referred } = this.#place.surroundings
    if (type === undefined || typeof name !== 'string' || name === '' || !referred) return
    const path = memberPath(this.#place.path, definition.id)
    const found = referred(type, name, path)
    if (typeof found === 'string') this.#fault(definition.id, found)
    else this.#references.push({ path, id: found.id })
  }

  #seen(): SeenInput[] {
    return this.#declared.flatMap((declared) => {
      const { definition } = declared
      const isVisible = isHeading(definition) ? this.#isShown(declared) : this.#shown.has(definition.id)
      const options = isVisible ? this.#shownOptions(definition) : undefined
      const provider = isVisible ? this.#providerOf(definition) : undefined
      const own: SeenInput = {
        path: memberPath(this.#place.path, definition.id),
        definition,
        isVisible,
        value: this.#valueOf(definition.id),
        ...(options && { options }),
        ...(provider !== undefined && { provider }),
      }
      return [own, ...(this.#items.get(definition.id) ?? []).flatMap((scope) => scope.#seen())]
    })
  }

  #unknown(): InputFault[] {
    const taken = this.#declared.map(({ definition }) => definition).filter((one) => !isHeading(one))
    const known = new Set(taken.map(({ id }) => id))
    const what = this.#place.outer ? 'a field of this item' : 'an input of this module'
    const { room } = this.#place
    return Object.keys(this.#given)
      .filter((id) => !known.has(id) && room.faults-- > 0)
      .map((id) => ({
        path: memberPath(this.#place.path, id),
        message: shortened(`is not ${what}; it takes ${[...known].join(', ') || 'none'}`),
      }))
  }

  #findingsInOrder(): Finding[] {
    return this.#declared.flatMap(({ definition: { id } }) => [
      ...(this.#findings.get(id) ?? []),
      ...(this.#items.get(id) ?? []).flatMap((scope) => [...scope.#unknown(), ...scope.#findingsInOrder()]),
    ])
  }

  #referencesInOrder(): Reference[] {
    const ofItems = [...this.#items.values()].flat().flatMap((scope) => scope.#referencesInOrder())
    return [...this.#references, ...ofItems]
  }

  #fault(id: string, message: string, below = ''): void {
    this.#find(id, { below, message })
  }

  #find(id: string, finding: ValueFinding, explain = (message: string) => message): void {
    const placed = ({ below, message }: { below: string; message: string }): InputFault => ({
      path: memberPath(this.#place.path, id) + below,
      message: shortened(explain(message)),
    })
    const findings = this.#findings.get(id) ?? []
    this.#findings.set(id, findings)
    if ('faultOf' in finding) {
      findings.push({ ...finding, faultOf: (message) => placed(finding.faultOf(message)) })
      return
    }
    const fault = placed(finding)
    const line = faultLine(fault)
    if (this.#told.has(line) || this.#place.room.faults-- <= 0) return
    this.#told.add(line)
    findings.push(fault)
  }

  /** Returns the template values, with this scope's inputs as lazily resolved members. */
  #ownRoots(): Json {
    const { of, roots } = this.#place.surroundings
    const input = {}
    for (const { definition } of this.#declared) {
      const { id } = definition
      if (!isHeading(definition)) {
        Object.defineProperty(input, id, { enumerable: true, configurable: true, get: () => this.#valueOf(id) })
      }
    }
    const around = roots[of]
    return { ...roots, [of]: { ...(isObject(around) ? around : {}), input } }
  }
}

const under = (root: string, path: string): string => (path.startsWith('[') ? root + path : `${root}.${path}`)

/** Returns the error as a sentence. */
export const faultLine = ({ path, message }: InputFault): string => `${path} ${message}`
