import { Alert, Stack, Text } from '@mantine/core'
import type { IacPlan } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { Outputs, outputsOf } from '../pipelines/outputs.tsx'
import { IconAlertTriangle } from '../ui/icons.tsx'
import { Notice } from '../ui/notice.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { useLatestApply } from './latest-apply.ts'

/** Shows the outputs of the instance's stack as of the latest apply. The API has nothing newer. */
export const OutputsPanel = ({ stackId }: { stackId: string }) => {
  const latest = useLatestApply(stackId)
  return (
    <Section title="Outputs">
      <QueryResult of={latest}>
        {({ applied, failed }) => (
          <Stack gap="md">
            {failed && <Failed plan={failed} />}
            {applied?.appliedByStepExecutionId === undefined ? (
              <Notice title="Not applied by Sluice yet">Outputs of the latest apply appear here.</Notice>
            ) : (
              <Left plan={applied} stepId={applied.appliedByStepExecutionId} />
            )}
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}

const Left = ({ plan, stepId }: { plan: IacPlan; stepId: string }) => {
  const step = useOperation('getPipelineStepExecution', { params: { id: stepId } })
  return (
    <QueryResult of={step}>
      {({ data: { stepId, outputData } }) => {
        const outputs = outputsOf(outputData)
        return (
          <>
            <Text size="sm">
              From{' '}
              <TextLink
                to="/console/runs/$id"
                params={{ id: plan.pipelineRunId }}
                search={{ step: stepId }}
                underline="always"
              >
                the latest apply
              </TextLink>
              {plan.appliedAt && (
                <>
                  , <TimeAgo at={plan.appliedAt} />
                </>
              )}
              .
            </Text>
            {Object.keys(outputs).length === 0 ? <Notice title="No visible outputs" /> : <Outputs outputs={outputs} />}
          </>
        )
      }}
    </QueryResult>
  )
}

const Failed = ({ plan }: { plan: IacPlan }) => (
  <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} title="A later apply failed">
    <Text size="sm">
      These outputs don’t include what it changed before it failed.{' '}
      <TextLink to="/console/runs/$id" params={{ id: plan.pipelineRunId }} c="inherit" size="sm" underline="always">
        View run
      </TextLink>
    </Text>
  </Alert>
)
