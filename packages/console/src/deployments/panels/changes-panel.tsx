import { Stack, Text } from '@mantine/core'
import type { DeploymentDifference, DeploymentDifferences } from '@sluice/contract'
import { useOperation } from '../../api/use-operation.ts'
import { useCommandButton } from '../../commands/page-commands.ts'
import { ButtonLink } from '../../ui/buttons/button-link.tsx'
import { DifferenceList } from '../../ui/difference-list.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { TextLink } from '../../ui/text-link.tsx'

/** Shows the differences between a deployment and the one before it. */
export const ChangesPanel = ({ id, moduleInstanceId }: { id: string; moduleInstanceId: string }) => {
  const comparing = useCommandButton('compare')
  const differences = useOperation('getDeploymentDifferences', { params: { id }, query: {} })
  const against = differences.data?.data.againstDeploymentId
  return (
    <Section
      title="Changes"
      aside={
        <ButtonLink
          ref={comparing}
          to="/console/instances/$id/compare"
          params={{ id: moduleInstanceId }}
          search={{ to: id, ...(against !== undefined && { from: against }) }}
          size="xs"
          variant="default"
        >
          Compare releases
        </ButtonLink>
      }
    >
      <QueryResult of={differences}>{({ data }) => <DifferencesFound of={data} />}</QueryResult>
    </Section>
  )
}

const names: Record<DeploymentDifference['of'], string> = {
  VERSION: 'Version',
  SOURCE: 'Source',
  MODULE_VERSION: 'Module version',
  IMAGE: 'Image',
  DEPLOYMENT_INPUT: 'Deployment input',
  INSTANCE_INPUT: 'Instance input',
  RELEASE: 'Release',
}

/** Shows the differences between a release and the previous one. */
export const DifferencesFound = ({
  of: { againstDeploymentId, differences, unknown },
}: {
  of: Omit<DeploymentDifferences, 'deploymentId'>
}) => (
  <Stack gap="sm">
    {againstDeploymentId !== undefined && (
      <Text size="sm" c="dimmed">
        Compared with{' '}
        <TextLink to="/console/deployments/$id" params={{ id: againstDeploymentId }} inherit underline="always">
          the previous release
        </TextLink>
        .
      </Text>
    )}
    <DifferenceList differences={differences.map(shownOf)} />
    {differences.length === 0 && <Text c="dimmed">{nothing(againstDeploymentId, unknown)}</Text>}
    {differences.length > 0 && unknown.length > 0 && (
      <Text size="sm" c="dimmed">
        Not compared because a value is unknown: {unknown.map((kind) => names[kind].toLowerCase()).join(', ')}.
      </Text>
    )}
  </Stack>
)

function nothing(againstDeploymentId: string | undefined, unknown: DeploymentDifferences['unknown']): string {
  if (againstDeploymentId !== undefined) return 'No known changes: the same version is deployed again.'
  return unknown.length > 0 ? 'The previous release is unknown.' : 'No changes: the same version is deployed again.'
}

function shownOf({ of, path, isSecret, before, after }: DeploymentDifference) {
  const named = [names[of], path].filter(Boolean).join(' · ')
  return isSecret
    ? { path: named, before: undefined, after: 'a different secret (hidden)' }
    : { path: named, before, after }
}
