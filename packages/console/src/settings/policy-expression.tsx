import { Anchor, Button, List, Stack, Text, Textarea } from '@mantine/core'
import type { DryRunPolicy, PolicyDryRun } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { fieldFaults } from '../ui/field-faults.ts'
import { FormFaults } from '../ui/form-faults.ts'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** The place that the form around names. */
export type Where = (form: FormData) => Pick<DryRunPolicy, 'projectId' | 'environmentId' | 'moduleInstanceId'>

type Props = { expression: string | undefined; canLookBack: boolean; where: Where }

/** What must be true, and what that would have stopped. */
export const PolicyExpression = ({ expression, canLookBack, where }: Props) => {
  const faults = useContext(FormFaults)
  const dryRun = useChange((form: FormData) => {
    const asked = { expression: String(form.get('expression')), rollbacks: form.has('rollbacks') }
    return client.dryRunPolicy({ body: { data: { ...where(form), guards: 'DEPLOYMENTS', ...asked } } })
  }, [])
  const fault = fieldFaults(dryRun.error).expression ?? faults.expression
  return (
    <>
      <Textarea
        name="expression"
        label="What must be true"
        description={
          <>
            In CEL.{' '}
            <Anchor href="/docs/guide/policies.html" target="_blank" rel="noreferrer" size="xs">
              What it sees and what can be written
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
      {canLookBack && (
        <Stack gap="xs" align="flex-start">
          <Button
            variant="default"
            size="xs"
            loading={dryRun.isPending}
            onClick={({ currentTarget: { form } }) => form && dryRun.mutate(new FormData(form))}
          >
            Try it against past releases
          </Button>
          {dryRun.error && fieldFaults(dryRun.error).expression === undefined && (
            <ErrorPanel error={errorOf(dryRun.error)} />
          )}
          {dryRun.data && <Stopped of={dryRun.data.data} />}
        </Stack>
      )}
    </>
  )
}

/** So many fit beside a form. */
const fewReleases = 10

const Stopped = ({ of: { judged, stopped } }: { of: PolicyDryRun }) => (
  <Stack gap={4} role="status">
    <Text size="sm">
      {judged === 0 ? 'Nothing was released there yet.' : `It would have stopped ${stopped.length} of ${judged}.`}
    </Text>
    <List size="sm">
      {stopped.slice(0, fewReleases).map(({ deploymentId, createdAt, reason }) => (
        <List.Item key={deploymentId} style={{ overflowWrap: 'anywhere' }}>
          <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} target="_blank" inherit>
            Release of <TimeAgo at={createdAt} />
          </TextLink>
          {reason !== undefined && `: it could not be evaluated: ${reason}`}
        </List.Item>
      ))}
    </List>
    {stopped.length > fewReleases && <Text size="sm">And {stopped.length - fewReleases} earlier ones.</Text>}
  </Stack>
)
