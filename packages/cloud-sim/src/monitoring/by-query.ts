import { normalizeInput } from '../model/normalize.ts'
import type { CloudService } from '../service.ts'
import type { Protocol } from '../wire/protocol.ts'
import { query } from '../wire/query.ts'
import { cloudWatchService } from './service.ts'

/** What is no text in the requests that are read here: alarms and their tags. */
const numbers = ['DatapointsToAlarm', 'EvaluationPeriods', 'MaxRecords', 'Period', 'Threshold']
const booleans = ['ActionsEnabled']

const asForm = query('http://monitoring.amazonaws.com/doc/2010-08-01/')

/** Reads what a form says as JSON would say it. */
function typed(input: object): object {
  const entries = Object.entries(input).map(([name, value]) => {
    if (numbers.includes(name)) return [name, Number(value)]
    if (booleans.includes(name)) return [name, value === 'true']
    return [name, value]
  })
  return Object.fromEntries(entries)
}

/** Moments are seconds in JSON, and text in XML. */
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
  form: 'json', // as which it is read here
  answerForm: asForm.form,
  read(request, model) {
    const { operation, input } = asForm.read(request, model)
    return { operation, input: typed(normalizeInput(model, operation, input, asForm.form)) }
  },
  answer: (operation, result, requestId) => asForm.answer(operation, withMoments(result) as object, requestId),
}

/**
 * The monitoring service as clients still speak to it that have not gone over to JSON, such as the cloud's provider.
 */
export const cloudWatchByQuery: CloudService = { ...cloudWatchService, protocol }
