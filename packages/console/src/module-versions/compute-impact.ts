import type { ModuleInstance } from '@sluice/contract'
import type { Config } from '../config-editor/config-text.ts'
import { flattenInputs, type InputDefinition, isHeading } from '../instances/inputs/definition.ts'

/** Effects of an upgrade on an instance. */
export type Impact = {
  /** Inputs that need a value first. */
  needed: string[]
  /** Inputs whose value is lost. */
  lost: string[]
  /** Inputs whose value changes with their default. */
  changed: string[]
}

/** Returns the effects of an upgrade between two configurations, based on their input definitions. */
export function upgradeImpact({ input }: Pick<ModuleInstance, 'input'>, from: Config, to: Config): Impact {
  const before = inputsOf(from)
  const after = inputsOf(to)
  const isSet = (id: string) => Object.hasOwn(input, id)
  const added = [...after.values()].filter(({ id }) => !before.has(id))
  return {
    needed: added.filter((one) => one.required === true && hasNoDefault(one) && !isSet(one.id)).map(({ id }) => id),
    lost: [...before.keys()].filter((id) => !after.has(id) && isSet(id)),
    changed: [...after.values()]
      .filter(({ id }) => before.has(id) && !isSet(id))
      .filter(({ id, default: value }) => JSON.stringify(before.get(id)?.default) !== JSON.stringify(value))
      .map(({ id }) => id),
  }
}

const hasNoDefault = ({ default: value }: InputDefinition): boolean => value === undefined || value === null

/** Accepts any value, because the configuration is still being edited. */
function inputsOf({ inputs }: Config): Map<string, InputDefinition> {
  const declared = Array.isArray(inputs) ? (inputs as unknown[]).filter(isInput) : []
  return new Map(
    flattenInputs(declared)
      .filter((one) => isInput(one) && !isHeading(one))
      .map((one) => [one.id, one]),
  )
}

const isInput = (one: unknown): one is InputDefinition =>
  typeof one === 'object' && one !== null && typeof (one as { id?: unknown }).id === 'string'
