import { normalizeInput } from '../model/normalize.ts'
import type { CloudService } from '../service.ts'
import type { Protocol } from '../wire/protocol.ts'
import { query } from '../wire/query.ts'
import { cloudWatchService } from './service.ts'

/** Fields of alarms and tags that are not text. */
const numbers = ['DatapointsToAlarm', 'EvaluationPeriods', 'MaxRecords', 'Period', 'Threshold']
const booleans = ['ActionsEnabled']

const asForm = query('http://monitoring.amazonaws.com/doc/2010-08-01/')

/** Converts form values to JSON types. */
function typed(input: object): object {
  const entries = Object.entries(input).map(([name, value]) => {
    if (numbers.includes(name)) return [name, Number(value)]
    if (booleans.includes(name)) return [name, value === 'true']
    return [name, value]
  })
  return Object.fromEntries(entries)
}

/** Converts timestamps from seconds in JSON to text in XML. */
function withMoments(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMoments)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) =>
    name.endsWith('Timestamp') ? [name, new Date(Number(member) * 1000)] : [name, withMoments(member)],
  )
  return Object.fromEntries(entries)
}

const protocol: Protocol = {
  ...asForm,
  form: 'json', // as which it is parsed here
  answerForm: asForm.form,
  read(request, model) {
    const { operation, input } = asForm.read(request, model)
    return { operation, input: typed(normalizeInput(model, operation, input, asForm.form)) }
  },
  answer: (operation, result, requestId) => asForm.answer(operation, withMoments(result) as object, requestId),
}

/** CloudWatch with the query protocol, which older clients such as Terraform's provider use. */
export const cloudWatchByQuery: CloudService = { ...cloudWatchService, protocol }
