import { Alert, Badge, Code, Group, Stack, Text } from '@mantine/core'
import type { DeploymentCheck, DeploymentCheckFinding, UncheckedPart } from '@sluice/contract'
import type { ReactNode } from 'react'
import { DifferencesFound } from '../deployments/panels/changes-panel.tsx'
import { IconAlertTriangle, IconCircleCheck, IconClock, IconHelpCircle } from '../ui/icons.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { InReadersTime } from '../ui/time.tsx'

/** Label, color and icon of each outcome, so that color is never the only difference. */
const outcomes = {
  CAN_SUCCEED: { title: 'Every check passed', color: 'teal', Icon: IconCircleCheck },
  WILL_WAIT: { title: 'The deployment would wait', color: 'orange', Icon: IconClock },
  WILL_FAIL: { title: 'The deployment would fail', color: 'red', Icon: IconAlertTriangle },
  UNKNOWN: {
    title: 'Nothing blocks the deployment, but some checks could not be made',
    color: 'gray',
    Icon: IconHelpCircle,
  },
} as const satisfies Record<DeploymentCheck['outcome'], object>

/** Shows the result of checking a deployment before it is created. */
export const DeploymentCheckResult = ({ check }: { check: DeploymentCheck }) => {
  const { outcome, findings, unchecked, gates, queue, differences } = check
  const { title, color, Icon } = outcomes[outcome]
  return (
    <Alert color={color} variant="light" icon={<Icon aria-hidden />} title={title} role="status">
      <Stack gap="md">
        <Part title="Findings">
          {findings.map((finding) => (
            <Finding key={keyOf(finding)} finding={finding} />
          ))}
        </Part>
        <Part title="Release gates">
          {gates.map(({ gate, message, liftedBy }) => (
            <Item key={gate + message} message={message} remedy={liftedBy} />
          ))}
        </Part>
        <Part title="Queued before it">
          {queue.map(({ deploymentId, description }) => (
            <TextLink key={deploymentId} size="sm" to="/console/deployments/$id" params={{ id: deploymentId }}>
              {description === '' ? deploymentId : description}
            </TextLink>
          ))}
        </Part>
        <Part title="Not checked">
          {unchecked.map((part) => (
            <Item key={keyOf(part)} message={part.message} remedy={part.remedy} />
          ))}
        </Part>
        <Part title="Changes">
          <DifferencesFound of={differences} />
        </Part>
      </Stack>
    </Alert>
  )
}

const keyOf = ({ code, path = '', message }: UncheckedPart | DeploymentCheckFinding) => `${code} ${path} ${message}`

/** Part of the result. Nothing is shown without content. */
const Part = ({ title, children }: { title: string; children: ReactNode }) =>
  Array.isArray(children) && children.length === 0 ? null : (
    <Stack gap="xs" component="section" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {children}
    </Stack>
  )

const severityColors = { ERROR: 'red', WARNING: 'orange', INFO: 'gray' } as const
const severityLabels = { ERROR: 'Error', WARNING: 'Warning', INFO: 'Info' } as const

const Finding = ({ finding }: { finding: DeploymentCheckFinding }) => {
  const { severity, message, remedy, path, inputs = [] } = finding
  return (
    <div>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Badge color={severityColors[severity]} variant="light" tt="none" style={{ flexShrink: 0 }}>
          {severityLabels[severity]}
        </Badge>
        <Item message={message} remedy={remedy} />
      </Group>
      {path !== undefined && (
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          <Code>{path}</Code>
          {inputs.map(({ of, name }) => ` · ${of === 'DEPLOYMENT' ? 'deployment' : 'module instance'} input ${name}`)}
        </Text>
      )}
    </div>
  )
}

const Item = ({ message, remedy }: { message: string; remedy?: string | undefined }) => (
  <div>
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <InReadersTime sentence={message} />
    </Text>
    {remedy !== undefined && (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {remedy}
      </Text>
    )}
  </div>
)
