import { Stack, Text, Title } from '@mantine/core'
import type { Deployment, PipelineRun, PipelineStepExecution } from '@sluice/contract'
import { isStepOver, pendingPause } from '@sluice/contract/states'
import { PermissionScopeContext } from '../api/scope.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { DeploymentActions } from '../deployments/deployment-actions.tsx'
import { DeploymentRow } from '../deployments/deployment-row.tsx'
import { PausePanel } from '../deployments/panels/pause-panel.tsx'
import { PauseDecision } from '../deployments/pause-decision.tsx'
import { targetName } from '../deployments/release-display.ts'
import { StageTrack } from '../deployments/stage-track.tsx'
import { type Decisions, useDecisions } from '../deployments/use-decisions.ts'
import { FreezeBanner } from '../freezes/freeze-banner.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { type StepConfig, swappedStep } from './config.ts'
import { continuingStep } from './continuing-step.ts'

type Props = {
  run: PipelineRun
  step: PipelineStepExecution
  steps: readonly PipelineStepExecution[]
  config: readonly StepConfig[]
}

/** Shows the deployments of a `deploy` or `deploy-swap` step, their progress, and who continues them. */
export const StepDeployments = ({ run, step, steps, config }: Props) => {
  const { stepId, stepType, status, error } = step
  const deployments = useCompleteList('listDeployments', { pipelineRunId: run.id })
  const maker = stepType === 'deploy-swap' ? swappedStep(config, stepId) : stepId
  const makerId = steps.find((one) => one.stepId === maker)?.id
  return (
    <QueryResult of={deployments}>
      {(all) => {
        const [latest, ...earlier] = all.filter(({ stepExecutionId }) => stepExecutionId === makerId)
        if (!latest) return <Text c="dimmed">{noneYet(status)}</Text>
        return (
          <Stack gap="md">
            <DeploymentRow deployment={latest} />
            <StageTrack deployment={latest} />
            {pendingPause(latest) && (
              <FreezeBanner
                scope={latest}
                instance={{ id: latest.moduleInstanceId, name: targetName(latest) }}
                acts={['CONTINUES']}
              />
            )}
            <PermissionScopeContext value={{ projectId: latest.projectId, environmentId: latest.environmentId }}>
              <Decide deployment={latest} continuing={continuingStep(step, { steps, config })} run={run} step={step} />
            </PermissionScopeContext>
            {latest.error && !error && <ErrorPanel error={latest.error} />}
            {stepType === 'deploy' && earlier.length > 0 && <Earlier deployments={earlier} />}
          </Stack>
        )
      }}
    </QueryResult>
  )
}

const noneYet = (status: PipelineStepExecution['status']): string =>
  isStepOver(status) ? 'The step created no deployment.' : 'The deployment is created when the step starts.'

type PauseProps = {
  deployment: Deployment
  /** Step that continues the deployment; undefined if a person does. */
  continuing: PipelineStepExecution | undefined
  run: PipelineRun
  step: PipelineStepExecution
}

/** Continues, rolls back or cancels the deployment, as on its own page. */
const Decide = (props: PauseProps) => {
  const { deployment } = props
  const decisions = useDecisions(deployment.id)
  const mutationError =
    decisions.continue.error ?? decisions.cancel.error ?? decisions.redeploy.error ?? decisions.rollBack.error
  return (
    <>
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      <Pause {...props} decisions={decisions} />
      <DeploymentActions deployment={deployment} decisions={decisions} />
    </>
  )
}

const Pause = ({ deployment, continuing, run, step, decisions }: PauseProps & { decisions: Decisions }) => {
  const pause = pendingPause(deployment)
  if (!pause) return null
  if (!continuing) {
    return (
      <PausePanel deployment={deployment} pause={pause}>
        <PauseDecision deployment={deployment} pause={pause} decisions={decisions} />
        <TextLink to="/console/deployments/$id" params={{ id: deployment.id }} c="inherit" size="sm" underline="always">
          View deployment
        </TextLink>
      </PausePanel>
    )
  }
  if (continuing.id === step.id)
    return <PausePanel deployment={deployment} pause={pause} title="Paused: this step continues with the deployment" />
  return (
    <PausePanel deployment={deployment} pause={pause} title={`Paused until the step “${continuing.stepName}”`}>
      <TextLink
        to="/console/runs/$id"
        params={{ id: run.id }}
        search={{ step: continuing.stepId }}
        resetScroll={false}
        c="inherit"
        size="sm"
        underline="always"
      >
        View that step
      </TextLink>
    </PausePanel>
  )
}

/** Lists deployments of earlier attempts. */
const Earlier = ({ deployments }: { deployments: readonly Deployment[] }) => (
  <div>
    <Title order={3} size="h6">
      Earlier attempts
    </Title>
    {deployments.map((one) => (
      <DeploymentRow key={one.id} deployment={one} />
    ))}
  </div>
)
