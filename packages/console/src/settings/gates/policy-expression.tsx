import { Anchor, Button, List, Stack, Text, Textarea } from '@mantine/core'
import type { DryRunPolicy, PolicyDryRun, PolicyGuards } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { fieldProblems } from '../../ui/forms/field-problems.ts'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** Returns the scope that the form selects. */
export type ScopeFromForm = (form: FormData) => Pick<DryRunPolicy, 'projectId' | 'environmentId' | 'moduleInstanceId'>

type Props = { expression: string | undefined; guards: PolicyGuards; where: ScopeFromForm }

/** Edits a policy's condition and tests it against the past. */
export const PolicyExpression = ({ expression, guards, where }: Props) => {
  const faults = useContext(FormProblems)
  const dryRun = useApiMutation((form: FormData) => {
    const asked = { expression: String(form.get('expression')), rollbacks: form.has('rollbacks') }
    return client.dryRunPolicy({ body: { data: { ...where(form), guards, ...asked } } })
  }, [])
  const fault = fieldProblems(dryRun.error).expression ?? faults.expression
  return (
    <>
      <Textarea
        name="expression"
        label="Condition"
        description={
          <>
            A CEL expression.{' '}
            <Anchor href="/docs/guide/policies.html" target="_blank" rel="noreferrer" size="xs">
              See variables and syntax
            </Anchor>
          </>
        }
        autosize
        minRows={3}
        maxLength={2000}
        required
        spellCheck={false}
        autoCapitalize="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        defaultValue={expression}
        onChange={dryRun.reset}
        error={fault}
      />
      <Stack gap="xs" align="flex-start">
        <Button
          variant="default"
          size="xs"
          loading={dryRun.isPending}
          onClick={({ currentTarget: { form } }) => form && dryRun.mutate(new FormData(form))}
        >
          Test against past {pastNames[guards]}
        </Button>
        {dryRun.error && fieldProblems(dryRun.error).expression === undefined && (
          <ErrorPanel error={errorOf(dryRun.error)} />
        )}
        {dryRun.data && <Stopped of={dryRun.data.data} guards={guards} />}
      </Stack>
    </>
  )
}

const pastNames = { DEPLOYMENTS: 'releases', PLANS: 'plans', PIPELINE_VERSIONS: 'versions' } as const satisfies Record<
  PolicyGuards,
  string
>

/** Fits next to a form. */
const maxShown = 10

type StoppedProps = { of: PolicyDryRun; guards: PolicyGuards }

const Stopped = ({ of: { evaluatedCount, blocked }, guards }: StoppedProps) => (
  <Stack gap={4} role="status">
    <Text size="sm">
      {evaluatedCount === 0
        ? `No past ${pastNames[guards]} here.`
        : `The policy would have blocked ${blocked.length} of ${evaluatedCount}.`}
    </Text>
    <List size="sm">
      {blocked.slice(0, maxShown).map((one) => (
        <List.Item key={one.deploymentId ?? one.iacPlanId ?? one.pipelineVersionId} style={anywhere}>
          <WayTo of={one} />
          {one.reason !== undefined && `: could not be evaluated: ${one.reason}`}
        </List.Item>
      ))}
    </List>
    {blocked.length > maxShown && <Text size="sm">And {blocked.length - maxShown} earlier.</Text>}
  </Stack>
)

const anywhere = { overflowWrap: 'anywhere' } as const

type WayProps = { of: PolicyDryRun['blocked'][number] }

/** Links to what the policy would have blocked. */
const WayTo = ({ of: { deploymentId, pipelineRunId, pipelineId, createdAt } }: WayProps) => {
  const at = <TimeAgo at={createdAt} />
  const beside = { target: '_blank', inherit: true }
  if (deploymentId !== undefined)
    return (
      <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} {...beside}>
        Release of {at}
      </TextLink>
    )
  if (pipelineRunId !== undefined)
    return (
      <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }} {...beside}>
        Plan of {at}
      </TextLink>
    )
  return (
    <TextLink to="/console/pipelines/$id" params={{ id: pipelineId ?? '' }} {...beside}>
      Version of {at}
    </TextLink>
  )
}
