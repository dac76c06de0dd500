import { Anchor, Badge, Code, Group, List, Stack, Text } from '@mantine/core'
import type { ApprovalCommit, ApprovalPlan, ApprovalSubject, ApprovalTarget } from '@sluice/contract'
import { reasonInWords } from '@sluice/contract/plan-words'
import { changeTypeStyle, typesInOrder } from '../plans/change-types.ts'
import { PlanCost } from '../plans/plan-cost.tsx'
import { PlanReview } from '../plans/plan-review.tsx'
import { Facts } from '../ui/facts.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** Shows what a decision affects: targets, changes, losses, the commit, and who requested it. */
export const ApprovalFacts = ({ subject }: { subject: ApprovalSubject }) => {
  const { pipelineId, pipelineName, pipelineRunId, runNumber, runDescription, runInputs, targets, plans, commits } =
    subject
  const inputs = Object.entries(runInputs)
  return (
    <Facts
      facts={{
        Changes: targets.length > 0 ? targets.map((target) => <Target key={target.name} target={target} />) : undefined,
        Plan: plans.length > 0 ? plans.map((plan) => <Plan key={plan.planId} plan={plan} />) : undefined,
        Commit: commits.length > 0 ? commits.map((one) => <Commit key={one.commit} commit={one} />) : undefined,
        Inputs: inputs.length > 0 ? inputs.map(([name, value]) => `${name} ${String(value)}`).join(', ') : undefined,
        Run: (
          <>
            <TextLink to="/console/pipelines/$id" params={{ id: pipelineId }} c="inherit" underline="always">
              {pipelineName}
            </TextLink>{' '}
            <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }} c="inherit" underline="always">
              {[`#${runNumber}`, runDescription].filter(Boolean).join(' · ')}
            </TextLink>
          </>
        ),
        'Requested by': (
          <>
            {subject.requestedBy}, <TimeAgo at={subject.requestedAt} />
          </>
        ),
      }}
    />
  )
}

const Target = ({ target: { moduleInstanceId, name, environmentName, projectName } }: { target: ApprovalTarget }) => (
  <div>
    {moduleInstanceId ? (
      <TextLink to="/console/instances/$id" params={{ id: moduleInstanceId }} c="inherit" underline="always" fw={600}>
        {name}
      </TextLink>
    ) : (
      <>
        the stack{' '}
        <Text span inherit fw={600}>
          {name}
        </Text>
      </>
    )}
    {environmentName ? ` · ${environmentName}` : ''} · {projectName}
  </div>
)

const Plan = ({ plan: { stackName, kind, changeCounts, review, cost, lost } }: { plan: ApprovalPlan }) => {
  const types = typesInOrder.filter((type) => type !== 'NO_OP' && type !== 'READ' && (changeCounts[type] ?? 0) > 0)
  const more = (changeCounts.DELETE ?? 0) + (changeCounts.REPLACE ?? 0) - lost.length
  return (
    <Stack gap={4}>
      <Group gap={6}>
        {kind === 'DESTROY' && 'Destroy '}
        {stackName}:{types.length === 0 && ' no changes'}
        {types.map((type) => {
          const { label, color, Icon } = changeTypeStyle(type)
          return (
            <Badge key={type} color={color} variant="light" tt="none" leftSection={<Icon size={12} aria-hidden />}>
              {label} {changeCounts[type]}
            </Badge>
          )
        })}
      </Group>
      <PlanReview review={review} maxLines={5} />
      <PlanCost cost={cost} />
      {lost.length > 0 && (
        <List size="sm" withPadding>
          {lost.map(({ address, changeType, reasons = [] }) => (
            <List.Item key={address}>
              {changeTypeStyle(changeType).label.toLowerCase()}{' '}
              <Code style={{ overflowWrap: 'anywhere' }}>{address}</Code>
              {reasons.length > 0 && ` (${reasons.map(reasonInWords).join(', ')})`}
            </List.Item>
          ))}
          {more > 0 && <List.Item>and {more} more</List.Item>}
        </List>
      )}
    </Stack>
  )
}

/** Characters of a commit hash that identify it. */
const shortCommit = 10

const Commit = ({ commit: { commit, ref, repository, url } }: { commit: ApprovalCommit }) => {
  const shown = <Code>{commit.slice(0, shortCommit)}</Code>
  return (
    <div>
      {url ? (
        <Anchor inherit c="inherit" href={url} target="_blank" rel="noreferrer" underline="always">
          {shown}
        </Anchor>
      ) : (
        shown
      )}
      {ref && ` (${ref})`}
      {repository && ` of ${repository.replace(/^https?:\/\//, '')}`}
    </div>
  )
}
