import type { FormInput, ModuleInstanceUpgrade, ValueOption } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { offersOf } from '../values/offers.ts'
import type { InstanceNode } from './graph.ts'
import { inputsOf } from './graph.ts'
import { declaredIn, isHeading } from './inputs/declared.ts'
import type { InputFault, Resolution, SeenInput } from './inputs/resolve.ts'

/** Returns the form for the resolved inputs, with the options of each visible input. */
export async function formOf(db: Db, organizationId: string, { seen }: Resolution): Promise<FormInput[]> {
  const offers = new Map<string, ValueOption[]>()
  for (const { provider } of seen) {
    if (provider !== undefined && !offers.has(provider)) {
      offers.set(provider, await offersOf(db, organizationId, provider))
    }
  }
  return seen.map((one) => ({
    path: one.path,
    isVisible: one.isVisible,
    value: one.value,
    ...present({ options: one.provider === undefined ? listed(one) : offers.get(one.provider) }),
    definition: one.definition,
  }))
}

const listed = ({ options, definition }: SeenInput): ValueOption[] | undefined =>
  options?.map(({ value, label, description, ...rest }) => {
    const { show_when: _, ...fields } = rest as Record<string, unknown>
    const carries = definition.type === 'compound' ? fields : undefined
    return present({ value, label, description: description ?? undefined, fields: carries })
  })

type Side = { placed: InstanceNode; resolution: Resolution }

/** Returns what an upgrade from one version to another changes. */
export function upgradeBetween(from: Side, to: Side, faults: InputFault[]): ModuleInstanceUpgrade {
  const before = valueInputs(from.placed)
  const after = valueInputs(to.placed)
  const isSet = (id: string) => Object.hasOwn(from.placed.input, id)
  return {
    moduleInstanceId: from.placed.id,
    fromVersionId: from.placed.version.id,
    fromVersion: from.placed.version.version,
    toVersionId: to.placed.version.id,
    toVersion: to.placed.version.version,
    newInputs: [...after.values()]
      .filter(({ id }) => !before.has(id))
      .map(({ id, label, type, required }) =>
        present({
          id,
          label: label ?? undefined,
          type,
          isRequired: required === true,
          value: to.resolution.values[id] ?? null,
        }),
      ),
    removedInputs: [...before.keys()].filter((id) => !after.has(id)).map((id) => ({ id, isSet: isSet(id) })),
    changedDefaults: [...after.keys()]
      .filter((id) => before.has(id) && !isSet(id))
      .map((id) => ({ id, from: from.resolution.values[id] ?? null, to: to.resolution.values[id] ?? null }))
      .filter((one) => JSON.stringify(one.from) !== JSON.stringify(one.to)),
    errors: faults,
  }
}

const valueInputs = ({ version }: InstanceNode) =>
  new Map(
    declaredIn(inputsOf(version))
      .filter(({ definition }) => !isHeading(definition))
      .map(({ definition }) => [definition.id, definition]),
  )
