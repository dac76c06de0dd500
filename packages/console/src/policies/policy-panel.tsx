import { Badge, Group, Stack, Text } from '@mantine/core'
import type { PolicyVerdict } from '@sluice/contract'
import { Section } from '../ui/section.tsx'
import { Rows } from '../ui/tables/rows.tsx'
import { policyOutcome } from './policy-labels.ts'

type Props = { verdicts: readonly PolicyVerdict[] }

/** Shows violated policies of a release and their overrides; nothing if there are none. */
export const PolicyPanel = ({ verdicts }: Props) =>
  verdicts.some((one) => policyOutcome(one) !== undefined) && (
    <Section title="Policies">
      <PolicyVerdicts verdicts={verdicts} />
    </Section>
  )

/** Shows the same inside another panel. */
export const PolicyVerdicts = ({ verdicts }: Props) => {
  const told = verdicts.filter((one) => policyOutcome(one) !== undefined).map((one) => ({ id: one.policyId, ...one }))
  if (told.length === 0) return null
  return (
    <Rows of={told} empty={null}>
      {(verdict) => <VerdictText verdict={verdict} />}
    </Rows>
  )
}

const VerdictText = ({ verdict }: { verdict: PolicyVerdict }) => {
  const { name, version, message, override } = verdict
  const outcome = policyOutcome(verdict)
  return (
    <Stack gap={4} py="xs" style={{ overflowWrap: 'anywhere' }}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          version {version}
        </Text>
        {outcome && (
          <Badge variant="light" color={outcome.color} tt="none">
            {outcome.label}
          </Badge>
        )}
      </Group>
      {message && <Text size="sm">{message}</Text>}
      {override && (
        <Text size="sm">
          Override by {override.createdBy}: {override.reason}
        </Text>
      )}
    </Stack>
  )
}
