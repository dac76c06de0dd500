import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { faultsOf } from '../../platform/http/faults.ts'
import type { StepConfig } from './schema.ts'
import { stepsOf } from './steps.ts'

const Step = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100 }),
  type: Type.String({ minLength: 1, maxLength: 100 }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  needs: Type.Optional(Type.Array(Type.String())),
})

/** The config of a pipeline version, as far as it is checked and read here. */
const Config = Type.Object({ steps: Type.Optional(Type.Array(Step)) })

// In its wrapper, so that the paths of the faults are those of the request.
const Created = Compile(Type.Object({ data: Type.Object({ config: Config }) }))

/** Every fault of a config, each with its path in the request. */
export function configFaults(config: Record<string, unknown>): string[] {
  const faults = faultsOf(Created, { data: { config } })
  return faults.length > 0 ? faults : faultsOfSteps(stepsOf(config))
}

function faultsOfSteps(steps: StepConfig[]): string[] {
  const ids = new Set(steps.map(({ id }) => id))
  const seen = new Set<string>()
  return steps.flatMap(({ id, needs = [] }, index) => {
    const place = `$.data.config.steps[${index}]`
    const repeated = seen.has(id) ? [`${place}.id: expected another id, ${id} is there already`] : []
    seen.add(id)
    const unknown = needs.flatMap((need, nth) =>
      ids.has(need) ? [] : [`${place}.needs[${nth}]: expected the id of a step, there is no ${need}`],
    )
    return [...repeated, ...unknown]
  })
}
