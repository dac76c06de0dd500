import { Text } from '@mantine/core'
import type { ApprovalRequirement } from '@sluice/contract'
import { duration, useNow } from '../ui/time.tsx'

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })

/** Shows the approvals that a rule requires, how many there are, and whose count. */
export const RequiredApprovals = ({
  demand,
  author = 'the commit author',
}: {
  demand: ApprovalRequirement
  author?: string
}) => {
  const { name, reason, given, requiredApprovals, teams, excludeStarter, excludeAuthor, expiresAt, isMet } = demand
  const now = useNow()
  const who = teams.length === 0 ? 'anyone with approval permission' : anyOf.format(teams.map((team) => team.name))
  const others = [excludeStarter && 'the person who started it', excludeAuthor && author].filter(
    (one) => typeof one === 'string',
  )
  return (
    <div>
      <Text size="sm" fw={600}>
        {name}: {given} of {requiredApprovals}
      </Text>
      <Text size="sm">
        From {who}
        {others.length > 0 && `, but not from ${anyOf.format(others)}`}.{reason !== undefined && ` ${reason}`}
      </Text>
      {!isMet && expiresAt && (
        <Text size="sm">Without approval, it is cancelled in {duration(Date.parse(expiresAt) - now)}.</Text>
      )}
    </div>
  )
}
