import { Code, Group, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core'
import type { IacPlan, PipelineRun, PipelineStepExecution } from '@sluice/contract'
import { lazy, Suspense, useState } from 'react'
import { useCompleteList } from '../api/use-pages.ts'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { Elapsed } from '../ui/time.tsx'
import { ApprovalPanel } from './approval-panel.tsx'
import { planningSteps, type StepConfig } from './config.ts'
import { Outputs, outputsOf } from './outputs.tsx'
import { describeQueueReason } from './queue-reason.ts'
import { StepDeployments } from './step-deployments.tsx'
import { type StepTab, tabsOf } from './step-tabs.ts'

const StepLog = lazy(() => import('../step-logs/step-log.tsx'))
const PlanViewer = lazy(() => import('../plans/plan-viewer.tsx'))

type Props = {
  run: PipelineRun
  step: PipelineStepExecution
  steps: readonly PipelineStepExecution[]
  /** Steps of the configuration. */
  config: readonly StepConfig[]
}

/** Shows a step: why it waits, its result, its decisions and its tabs. */
export const StepPanel = ({ run, step, steps, config }: Props) => {
  const { id, stepId, stepName, stepType, status, startedAt, completedAt, retryAttempt, statusDetail } = step
  const { data: all = [] } = useCompleteList('listIacPlans', { pipelineRunId: run.id })
  const plans = plansFor(step, { steps, config }, all)
  const outputs = outputsOf(step.outputData)
  const origin = originOf(step)
  const isThere = {
    deployment: origin === undefined,
    plan: plans.length > 0,
    log: step.attemptEpoch > 0,
    outputs: Object.keys(outputs).length > 0,
  }
  const tabs = tabsOf(stepType).filter((tab) => isThere[tab])
  const has = (tab: StepTab) => tabs.includes(tab)
  // Approvers see the plan first; for started steps, the progress is more useful.
  const first = status === 'PENDING_APPROVAL' ? tabs[0] : (tabs.find((tab) => tab !== 'plan') ?? tabs[0])
  const [chosen, setChosen] = useState<string | null>(null)
  const tab = chosen ?? first ?? 'values'
  const skipped = statusDetail?.skipped
  return (
    <Section title={stepName} aside={<StatusBadge status={status} />}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {stepType} · {stepId}
          {startedAt && (
            <>
              {' · '}
              <Elapsed from={startedAt} to={completedAt} />
            </>
          )}
          {retryAttempt > 0 && ` · retry ${retryAttempt}`}
        </Text>
        {status === 'QUEUED' && <Waiting step={step} steps={steps} />}
        {typeof skipped === 'string' && <Text>Skipped. {skipped}</Text>}
        <ApprovalPanel step={step} />
        {step.error && <ErrorPanel error={step.error} />}
        <OmittedValues detail={statusDetail} />
        <StartedRun detail={statusDetail} />
        <StartedRehearsal detail={statusDetail} />
        {origin && (
          <TextLink
            to="/console/runs/$id"
            params={{ id: origin.pipelineRunId }}
            search={{ step: stepId }}
            underline="always"
          >
            Reused from the run that this one retries
          </TextLink>
        )}
        <Tabs value={tab} onChange={setChosen} keepMounted={false}>
          <Tabs.List mb="sm">
            {has('deployment') && <Tabs.Tab value="deployment">Deployment</Tabs.Tab>}
            {has('plan') && <Tabs.Tab value="plan">Plan</Tabs.Tab>}
            {has('log') && <Tabs.Tab value="log">Log</Tabs.Tab>}
            {has('outputs') && <Tabs.Tab value="outputs">Outputs</Tabs.Tab>}
            <Tabs.Tab value="values">Values</Tabs.Tab>
          </Tabs.List>
          <Suspense fallback={<Skeleton height={200} radius="md" />}>
            {has('deployment') && (
              <Tabs.Panel value="deployment">
                <StepDeployments run={run} step={step} steps={steps} config={config} />
              </Tabs.Panel>
            )}
            {has('plan') && (
              <Tabs.Panel value="plan">
                <Stack gap="xl">
                  {plans.map((plan) => (
                    <Planned key={plan.id} plan={plan} stepExecutionId={id} isOne={plans.length === 1} steps={steps} />
                  ))}
                </Stack>
              </Tabs.Panel>
            )}
            {has('log') && (
              <Tabs.Panel value="log">
                <StepLog stepExecutionId={origin?.pipelineStepExecutionId ?? id} />
              </Tabs.Panel>
            )}
            {has('outputs') && (
              <Tabs.Panel value="outputs">
                <Outputs outputs={outputs} />
              </Tabs.Panel>
            )}
            <Tabs.Panel value="values">
              <Values step={step} />
            </Tabs.Panel>
          </Suspense>
        </Tabs>
      </Stack>
    </Section>
  )
}

/** Returns the plan of a step, or the plans that it is about. */
function plansFor(
  step: PipelineStepExecution,
  { steps, config }: Pick<Props, 'steps' | 'config'>,
  all: readonly IacPlan[],
) {
  const planOf = (stepId: string) => {
    const id = steps.find((one) => one.stepId === stepId)?.id
    return all.find(({ stepExecutionId }) => stepExecutionId === id)
  }
  const own = planOf(step.stepId)
  return own ? [own] : planningSteps(config, step.stepId).flatMap((stepId) => planOf(stepId) ?? [])
}

type PlannedProps = { plan: IacPlan; stepExecutionId: string; isOne: boolean; steps: Props['steps'] }

/** Shows a plan. If there are several, each has the name of its step. */
const Planned = ({ plan, stepExecutionId, isOne, steps }: PlannedProps) => (
  <Stack gap="sm">
    {!isOne && (
      <Title order={3} size="h6">
        {steps.find(({ id }) => id === plan.stepExecutionId)?.stepName}
      </Title>
    )}
    <PlanViewer plan={plan} stepExecutionId={stepExecutionId} />
  </Stack>
)

/** Shows why a step waits, with links. */
const Waiting = ({ step, steps }: Pick<Props, 'step' | 'steps'>) => {
  const { heldByRunId } = step.queueMetadata
  return (
    <div>
      <Text>{describeQueueReason(step, steps)}</Text>
      {step.queueReason === 'CONCURRENCY' && typeof heldByRunId === 'string' && (
        <TextLink to="/console/runs/$id" params={{ id: heldByRunId }} underline="always">
          View run in progress
        </TextLink>
      )}
    </div>
  )
}

type Origin = { pipelineRunId: string; pipelineStepExecutionId: string }

/** Returns the step that a retry reused. Its log is stored there. */
const originOf = ({ statusDetail }: PipelineStepExecution) => statusDetail?.takenOver as Origin | undefined

/** Lists output values of a program or server that were not stored. */
const OmittedValues = ({ detail }: { detail: PipelineStepExecution['statusDetail'] }) => {
  const omitted = (detail?.omittedValues ?? []) as { path: string; reason: string }[]
  if (omitted.length === 0) return null
  return (
    <Stack gap={4}>
      <Text>Values not stored</Text>
      {omitted.map(({ path, reason }) => (
        <Text key={`${path} ${reason}`} size="sm">
          <Code>{path}</Code> {reason}
        </Text>
      ))}
    </Stack>
  )
}

/** Links to a run that the step started. */
const StartedRun = ({ detail }: { detail: PipelineStepExecution['statusDetail'] }) =>
  typeof detail?.pipelineRunId === 'string' && (
    <TextLink to="/console/runs/$id" params={{ id: detail.pipelineRunId }} underline="always">
      View run that this step started
    </TextLink>
  )

/** Links to the rehearsal that the step started. */
const StartedRehearsal = ({ detail }: { detail: PipelineStepExecution['statusDetail'] }) =>
  typeof detail?.rehearsalId === 'string' && (
    <TextLink to="/console/rehearsals/$id" params={{ id: detail.rehearsalId }} underline="always">
      View rehearsal
    </TextLink>
  )

const Values = ({ step: { inputData, outputData } }: { step: PipelineStepExecution }) => (
  <Group align="flex-start" grow preventGrowOverflow={false}>
    <Json title="Inputs" value={inputData} />
    <Json title="Result" value={outputData} />
  </Group>
)

const Json = ({ title, value }: { title: string; value: Record<string, unknown> | undefined }) => (
  <Stack gap={4} miw={240}>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    {value && Object.keys(value).length > 0 ? (
      <Code block mah={420} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }} tabIndex={0}>
        {JSON.stringify(value, null, 2)}
      </Code>
    ) : (
      <Text size="sm" c="dimmed">
        No values yet.
      </Text>
    )}
  </Stack>
)
