import { Divider, Stack, Text } from '@mantine/core'
import type { Deployment, PipelineRun } from '@sluice/contract'
import { unfinishedDeploymentStatuses } from '@sluice/contract/states'
import { type ReactNode, useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { usePermission } from '../api/use-permission.ts'
import { ApprovalRow } from '../approvals/approval-row.tsx'
import { DeploymentRow } from '../deployments/deployment-row.tsx'
import { needsDecision } from '../deployments/needs-decision.ts'
import { Favorites } from '../favorites/favorites.tsx'
import { GettingStarted } from '../getting-started/getting-started.tsx'
import { recentVisits } from '../search/recent-visits.ts'
import { visitablePages } from '../search/visits.ts'
import { ServiceStatus } from '../services/service-status.tsx'
import { type ServiceStates, useServiceStates } from '../services/use-service-states.ts'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { RunRow } from './run-row.tsx'

/** Shows what waits for a person, then what is in progress, then failures. */
export const Overview = () => (
  <Stack gap="lg" maw={960}>
    <PageTitle title="Overview" />
    <GettingStarted />
    <Waiting />
    <InProgress />
    <Failed />
    <Favorites />
    <RecentlyViewed />
  </Stack>
)

/** Lists pages recently viewed in this browser; nothing if there are none. */
const RecentlyViewed = () => {
  const [seen] = useState(recentVisits)
  if (seen.length === 0) return null
  return (
    <Section title="Recently viewed">
      <Stack gap={4}>
        {seen.map(({ kind, id, title }) => (
          <TextLink key={id} to={visitablePages[kind]} params={{ id }} truncate>
            {title}
          </TextLink>
        ))}
      </Stack>
    </Section>
  )
}

/** Shares one query between the parts that show it. */
const useUnfinished = () =>
  useOperation('listDeployments', {
    query: { status: unfinishedDeploymentStatuses, limit: 100, include: ['analysis'] },
  })

const useFailedDeployments = () =>
  useOperation('listDeployments', { query: { status: ['ERROR', 'ROLLED_BACK'], limit: 5 } })

/** Returns the states of all services on the page, so that its parts share the requests. */
function useStatesHere(): ServiceStates {
  const [unfinished, failed] = [useUnfinished().data?.data ?? [], useFailedDeployments().data?.data ?? []]
  return useServiceStates([...unfinished, ...failed].map(({ moduleInstanceId }) => moduleInstanceId))
}

const Waiting = () => {
  const states = useStatesHere()
  const deployments = useUnfinished()
  const { isAllowed: canDecide } = usePermission('approvals:write')
  const steps = useOperation('listPipelineStepExecutions', { query: { status: ['PENDING_APPROVAL'], limit: 50 } })
  return (
    <Section title={canDecide ? 'Waiting for you' : 'Waiting for a decision'}>
      <QueryResult of={steps} lines={2}>
        {({ data: waiting }) => (
          <QueryResult of={deployments} lines={2}>
            {({ data, included }) => (
              <Rows empty="Nothing is waiting for a decision.">
                {[
                  ...waiting.map((step) => ({ id: step.id, at: step.createdAt, row: <ApprovalRow step={step} /> })),
                  ...data
                    .filter((one) => needsDecision(one, included?.analysis?.[one.id]))
                    .map((one) => ofDeployment(one, states)),
                ]}
              </Rows>
            )}
          </QueryResult>
        )}
      </QueryResult>
    </Section>
  )
}

const InProgress = () => {
  const states = useStatesHere()
  const deployments = useUnfinished()
  const runs = useOperation('listPipelineRuns', {
    query: { status: ['QUEUED', 'IN_PROGRESS'], limit: 50, include: ['number'] },
  })
  return (
    <Section title="In progress">
      <QueryResult of={runs} lines={2}>
        {({ data: running, included }) => (
          <QueryResult of={deployments} lines={2}>
            {({ data, included: more }) => (
              <Rows empty="No deployments or runs in progress.">
                {[
                  ...running.map((run) => ofRun(run, included?.number?.[run.id])),
                  ...data
                    .filter((one) => !needsDecision(one, more?.analysis?.[one.id]))
                    .map((one) => ofDeployment(one, states)),
                ]}
              </Rows>
            )}
          </QueryResult>
        )}
      </QueryResult>
    </Section>
  )
}

const Failed = () => {
  const states = useStatesHere()
  const deployments = useFailedDeployments()
  const runs = useOperation('listPipelineRuns', { query: { status: ['ERROR'], limit: 5, include: ['number'] } })
  return (
    <Section title="Recent failures">
      <QueryResult of={runs} lines={2}>
        {({ data: failed, included }) => (
          <QueryResult of={deployments} lines={2}>
            {({ data }) => (
              <Rows empty="No recent failures.">
                {[
                  ...failed.map((run) => ofRun(run, included?.number?.[run.id])),
                  ...data.map((one) => ofDeployment(one, states)),
                ]}
              </Rows>
            )}
          </QueryResult>
        )}
      </QueryResult>
    </Section>
  )
}

type Listed = { id: string; at: string; row: ReactNode }

const ofDeployment = (deployment: Deployment, { places, healths }: ServiceStates): Listed => {
  const { id, createdAt: at, moduleInstanceId } = deployment
  const place = places[moduleInstanceId]
  const now = place && <ServiceStatus place={place} health={healths[moduleInstanceId]} isInline />
  return { id, at, row: <DeploymentRow deployment={deployment} now={now} /> }
}
const ofRun = (run: PipelineRun, number: number | undefined): Listed => ({
  id: run.id,
  at: run.createdAt,
  row: <RunRow run={run} number={number} />,
})

/** Sorts rows of any type, newest first. */
const Rows = ({ empty, children }: { empty: string; children: Listed[] }) => {
  if (children.length === 0) return <Text c="dimmed">{empty}</Text>
  return children
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .map(({ id, row }, index) => (
      <div key={id}>
        {index > 0 && <Divider />}
        {row}
      </div>
    ))
}
