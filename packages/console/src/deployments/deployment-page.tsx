import { Grid, Stack, Text } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { useParams } from '@tanstack/react-router'
import { followMs, useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { Elapsed, TimeAgo } from '../ui/time.tsx'
import { DefinitionChanges } from './definition-changes.tsx'
import { DeploymentActions } from './deployment-actions.tsx'
import { PausePanel } from './pause-panel.tsx'
import { Revisions } from './revisions.tsx'
import { ecsOf, isOver, pendingPause, shownStatus } from './shown.ts'
import { StageTrack } from './stage-track.tsx'
import { Timeline } from './timeline.tsx'
import { useDecisions } from './use-decisions.ts'

/** One release: where it stands, what it waits for, and what there is to decide. */
export const DeploymentPage = () => {
  const { id } = useParams({ from: '/shell/console/deployments/$id' })
  const deployment = useOperation(
    'getDeployment',
    { params: { id } },
    { refetchInterval: ({ state }) => (state.data && isOver(state.data.data) ? false : followMs) },
  )
  return <Answer of={deployment}>{({ data }) => <Shown deployment={data} />}</Answer>
}

const Shown = ({ deployment }: { deployment: Deployment }) => {
  const { id, description, resourceName, startedAt, completedAt, createdAt } = deployment
  const data = ecsOf(deployment)
  const pause = pendingPause(deployment)
  const decisions = useDecisions(id)
  const refused = decisions.continue.error ?? decisions.cancel.error ?? decisions.redeploy.error
  return (
    <Stack gap="lg" maw={1100}>
      <PageTitle
        title={`${resourceName ?? deployment.deploymentType}`}
        below={
          <>
            {description || 'No description'} · {data?.triggeredBy ?? deployment.triggerSource} ·{' '}
            <TimeAgo at={createdAt} />
            {startedAt && (
              <>
                {' '}
                · <Elapsed from={startedAt} to={completedAt} />
              </>
            )}
          </>
        }
        aside={<StatusBadge status={shownStatus(deployment)} size="lg" />}
      />
      <StageTrack deployment={deployment} />
      {refused && <ErrorPanel error={errorOf(refused)} />}
      {deployment.error && <ErrorPanel error={deployment.error} />}
      {pause && (
        <PausePanel
          pause={pause}
          isContinuing={decisions.continue.isPending}
          mayDecide={decisions.mayDecide}
          onContinue={() => decisions.continue.mutate(pause.hookId)}
        />
      )}
      <DeploymentActions deployment={deployment} decisions={decisions} />
      <Grid gap="lg" overflow="hidden">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            {data && (
              <Section title="Versions and traffic">
                <Revisions data={data} />
              </Section>
            )}
            {data && (
              <Section title="Changes of the task definition">
                <DefinitionChanges data={data} />
              </Section>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="Events">
            <Timeline events={data?.events ?? []} />
            {!isOver(deployment) && (
              <Text size="xs" c="dimmed" mt="md">
                This page follows what happens.
              </Text>
            )}
          </Section>
        </Grid.Col>
      </Grid>
      <Text size="sm" c="dimmed">
        {id} ·{' '}
        <TextLink to="/console/instances/$id" params={{ id: deployment.moduleInstanceId }} underline="always">
          module instance
        </TextLink>
      </Text>
    </Stack>
  )
}
