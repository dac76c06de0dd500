import { Group, Text } from '@mantine/core'
import type { ModuleDefinition } from '@sluice/contract'
import { useCompleteList, usePages } from '../api/use-pages.ts'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { Pages } from '../ui/tables/pages.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** Lists the instances of a module with their versions. */
export const UsedBy = ({ definition: { id, latestVersionId } }: { definition: ModuleDefinition }) => {
  const instances = usePages('listModuleInstances', { moduleDefinitionId: id, limit: 50 })
  const environments = useCompleteList('listEnvironments', {}).data
  const versions = useCompleteList('listModuleVersions', { moduleDefinitionId: id }).data
  return (
    <Section title="Used by">
      <Pages
        of={instances}
        empty={<Notice title="Not used yet">Create an instance from this module in an environment.</Notice>}
      >
        {({ id: instanceId, name, environmentId, moduleVersionId }) => (
          <Group justify="space-between" py="xs">
            <Text>
              <TextLink to="/console/instances/$id" params={{ id: instanceId }} underline="always">
                {name}
              </TextLink>{' '}
              <Text span c="dimmed">
                · {environments?.find((one) => one.id === environmentId)?.name ?? ''}
              </Text>
            </Text>
            <Text size="sm" c="dimmed">
              {versions?.find((one) => one.id === moduleVersionId)?.version}
              {moduleVersionId !== latestVersionId && ', not the latest version'}
            </Text>
          </Group>
        )}
      </Pages>
    </Section>
  )
}
