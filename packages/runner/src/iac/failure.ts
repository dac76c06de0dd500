import type { FailureKey } from '@sluice/contract/errors'
import { StepFailure } from '../failure.ts'
import type { ToolEvent } from './messages.ts'

/** More would hide what matters. */
const mostErrors = 50

/** What the tool has said against it: the first error, and all of them below. */
export function toolFailure(key: FailureKey, message: string, events: readonly ToolEvent[]): StepFailure {
  const errors = events.filter((event) => event.kind === 'error')
  const [first] = errors
  if (!first) return new StepFailure(key, `${message} The log says why.`)
  return new StepFailure(key, `${message} ${withStop(first.summary)}`, {
    ...(first.detail !== '' && { description: first.detail }),
    details: [{ title: 'Errors', render: 'list', items: errors.slice(0, mostErrors).map(lineOf) }],
  })
}

const withStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const lineOf = ({ address, summary, detail }: Extract<ToolEvent, { kind: 'error' }>): string =>
  [address && `${address}: `, summary, detail && `: ${detail.replaceAll(/\s+/g, ' ')}`].filter(Boolean).join('')
