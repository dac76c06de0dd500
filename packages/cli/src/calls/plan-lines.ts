import type { ApprovalPlan } from '@sluice/contract'
import { costInWords } from '@sluice/contract/cost-words'
import { reasonInWords, reviewInWords, reviewLines } from '@sluice/contract/plan-words'

/** Returns what approvers must know of a plan: changes, losses with reasons, warnings, moves and outputs. */
export function planLines({ stackName, changeCounts, cost, review, lost }: ApprovalPlan): string[] {
  const counts = Object.entries(changeCounts).filter(([type, count]) => type !== 'NO_OP' && count > 0)
  const changes = counts.map(([type, count]) => `${type.toLowerCase()} ${count}`).join(', ')
  const beside = review ? reviewInWords(review) : ''
  const said = [changes, beside].filter((part) => part !== '')
  const facts = [...(said.length > 0 ? said : ['nothing changes']), ...(cost ? [costInWords(cost)] : [])]
  return [`Plan of ${stackName}: ${facts.join('; ')}`, ...lost.map(lostLine), ...(review ? reviewLines(review) : [])]
}

const lostLine = ({ address, changeType, reasons = [] }: ApprovalPlan['lost'][number]): string =>
  `${changeType.toLowerCase()} ${address}${reasons.length > 0 ? ` (${reasons.map(reasonInWords).join(', ')})` : ''}`
