import { artifactFaults } from './artifacts.ts'
import { type Draft, draftOf } from './draft.ts'
import { graphFaults, repeated } from './graph.ts'
import { valueErrors } from './inputs.ts'
import { matrixFaults } from './matrix.ts'
import { ruleFaults } from './rules.ts'
import { inputTypes, type PipelineInput } from './schema.ts'
import { shapeFaults } from './shape.ts'
import { plainFaults, templateFaults } from './templates.ts'
import { triggerFaults } from './triggers.ts'

type Json = Record<string, unknown>

/** Path of the config in a request. */
export const configPlace = '$.data.config'

/** Maximum number of errors in a response, to limit its size. */
const maxFaults = 1_000

/**
 * Returns every error of a config that needs no other data, each with its path in the request and the expected value.
 */
export function configFaults(config: Json): string[] {
  const draft = draftOf(config, configPlace)
  const inputs = draft.inputs.map(({ written }) => written).filter(isInput)
  return [
    ...shapeFaults(config, configPlace),
    ...graphFaults(draft.steps),
    ...ruleFaults(draft.steps),
    ...matrixFaults(draft.steps),
    ...artifactFaults(draft.steps),
    ...inputFaults(draft),
    ...triggerFaults(draft, inputs),
    ...templateFaults(draft),
  ].slice(0, maxFaults)
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

/** Returns errors in the allowed values and the default of an input, which must match its type. */
function ownValueFaults(input: PipelineInput, place: string): string[] {
  const { type, values, default: preset } = input
  const isList = type === 'string_array' || type === 'array'
  const ofItem = type === 'string_array' ? 'string' : isList ? 'json' : type
  const allowed = Array.isArray(values) ? values : []
  return [
    ...allowed.flatMap((value, index) => valueErrors({ type: ofItem }, value, `${place}.values[${index}]`)),
    ...(preset === undefined ? [] : valueErrors(Array.isArray(values) ? input : { type }, preset, `${place}.default`)),
  ]
}
