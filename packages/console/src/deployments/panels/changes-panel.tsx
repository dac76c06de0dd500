import { Stack, Text } from '@mantine/core'
import type { DeploymentDifference, DeploymentDifferences } from '@sluice/contract'
import { useOperation } from '../../api/use-operation.ts'
import { Answer } from '../../ui/answer.tsx'
import { DifferenceList } from '../../ui/difference-list.tsx'
import { Section } from '../../ui/section.tsx'
import { TextLink } from '../../ui/text-link.tsx'

/** What a deployment releases otherwise than what ran before it. */
export const ChangesPanel = ({ id }: { id: string }) => {
  const differences = useOperation('getDeploymentDifferences', { params: { id }, query: {} })
  return (
    <Section title="What changes">
      <Answer of={differences}>{({ data }) => <Shown of={data} />}</Answer>
    </Section>
  )
}

const names: Record<DeploymentDifference['of'], string> = {
  VERSION: 'Version',
  SOURCE: 'Source',
  MODULE_VERSION: 'Version of the module',
  IMAGE: 'Image',
  DEPLOYMENT_INPUT: 'Input of the deployment',
  INSTANCE_INPUT: 'Input of the instance',
  RELEASE: 'Release',
}

const Shown = ({ of: { againstDeploymentId, differences, unknown } }: { of: DeploymentDifferences }) => (
  <Stack gap="sm">
    {againstDeploymentId !== undefined && (
      <Text size="sm" c="dimmed">
        Against{' '}
        <TextLink to="/console/deployments/$id" params={{ id: againstDeploymentId }} inherit underline="always">
          the release before
        </TextLink>
        .
      </Text>
    )}
    <DifferenceList differences={differences.map(shownOf)} />
    {differences.length === 0 && <Text c="dimmed">{nothing(againstDeploymentId, unknown)}</Text>}
    {differences.length > 0 && unknown.length > 0 && (
      <Text size="sm" c="dimmed">
        Not known of both, and so not compared: {unknown.map((kind) => names[kind].toLowerCase()).join(', ')}.
      </Text>
    )}
  </Stack>
)

function nothing(againstDeploymentId: string | undefined, unknown: DeploymentDifferences['unknown']): string {
  if (againstDeploymentId !== undefined) return 'Nothing of what is known of both: the same is released again.'
  return unknown.length > 0 ? 'Nothing is known of what ran before.' : 'Nothing: the same is released again.'
}

function shownOf({ of, path, isSecret, before, after }: DeploymentDifference) {
  const named = [names[of], path].filter(Boolean).join(' · ')
  return isSecret
    ? { path: named, before: undefined, after: 'another secret, which is not shown' }
    : { path: named, before, after }
}
