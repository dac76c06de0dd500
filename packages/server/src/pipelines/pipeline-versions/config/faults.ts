import { type Draft, draftOf } from './draft.ts'
import { graphFaults, repeated } from './graph.ts'
import { valueFaults } from './inputs.ts'
import { matrixFaults } from './matrix.ts'
import { ruleFaults } from './rules.ts'
import { inputTypes, type PipelineInput } from './schema.ts'
import { shapeFaults } from './shape.ts'
import { plainFaults, templateFaults } from './templates.ts'
import { triggerFaults } from './triggers.ts'

type Json = Record<string, unknown>

/** Where a config stands in the request that brings it. */
export const configPlace = '$.data.config'

/** Enough for anybody; a hostile config is not answered with megabytes. */
const mostFaults = 1_000

/** Everything that is wrong with a config by itself, each line with its path in the request and what was expected. */
export function configFaults(config: Json): string[] {
  const draft = draftOf(config, configPlace)
  const inputs = draft.inputs.map(({ written }) => written).filter(isInput)
  return [
    ...shapeFaults(config, configPlace),
    ...graphFaults(draft.steps),
    ...ruleFaults(draft.steps),
    ...matrixFaults(draft.steps),
    ...inputFaults(draft),
    ...triggerFaults(draft, inputs),
    ...templateFaults(draft),
  ].slice(0, mostFaults)
}

const isInput = (written: Json): written is PipelineInput =>
  typeof written.id === 'string' && inputTypes.some((type) => type === written.type)

function inputFaults({ inputs }: Draft): string[] {
  return [
    ...repeated(inputs.map(({ place, written: { id } }) => ({ place, id: typeof id === 'string' ? id : '' }))),
    ...inputs.flatMap(({ place, written }) => [
      ...plainFaults(written, place, 'put it where the input is read'),
      ...(isInput(written) ? ownValueFaults(written, place) : []),
    ]),
  ]
}

/** The values that an input allows and the one that it falls back to must be of its type themselves. */
function ownValueFaults(input: PipelineInput, place: string): string[] {
  const { type, values, default: preset } = input
  const isList = type === 'string_array' || type === 'array'
  const ofItem = type === 'string_array' ? 'string' : isList ? 'json' : type
  const allowed = Array.isArray(values) ? values : []
  return [
    ...allowed.flatMap((value, index) => valueFaults({ type: ofItem }, value, `${place}.values[${index}]`)),
    ...(preset === undefined ? [] : valueFaults(Array.isArray(values) ? input : { type }, preset, `${place}.default`)),
  ]
}
