import { Group, Text } from '@mantine/core'
import type { BundledModule, ModuleDefinition } from '@sluice/contract'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'

type Props = {
  /** All modules visible to the organization. */
  definitions: readonly ModuleDefinition[]
  onPublished: (definitionId: string) => unknown
}

/** Lists bundled modules that are not published yet; nothing if all are. */
export const BundledModules = ({ definitions, onPublished }: Props) => {
  const bundled = useOperation('listBundledModules', {}, { staleTime: Number.POSITIVE_INFINITY })
  const isOpen = ({ type }: BundledModule) =>
    !definitions.some((one) => one.type === type && one.latestVersionId !== undefined)
  if (bundled.data && !bundled.data.data.some(isOpen)) return null
  return (
    <Section title="Included with Sluice">
      <QueryResult of={bundled}>
        {({ data }) =>
          data
            .filter(isOpen)
            .map((one) => (
              <Row
                key={one.type}
                of={one}
                begun={definitions.find(({ type }) => type === one.type)}
                onPublished={onPublished}
              />
            ))
        }
      </QueryResult>
    </Section>
  )
}

type RowProps = Pick<Props, 'onPublished'> & {
  of: BundledModule
  /** Definition left by a previous attempt that failed before publishing. */
  begun: ModuleDefinition | undefined
}

const Row = ({ of: { type, name, description, version, config }, begun, onPublished }: RowProps) => {
  const publish = useApiMutation(
    async () => {
      const definition = begun ?? (await define())
      const data = { moduleDefinitionId: definition.id, version, description: 'Included with Sluice.', config }
      await client.createModuleVersion({ body: { data } })
      return definition.id
    },
    ['listModuleDefinitions', 'listModuleVersions'],
    onPublished,
  )
  const define = async () => (await client.createModuleDefinition({ body: { data: { type, name, description } } })).data
  return (
    <div>
      <Group justify="space-between" py="xs" wrap="nowrap">
        <div>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        </div>
        <PermissionButton
          permission="module-definitions:write"
          size="xs"
          variant="default"
          aria-label={`Publish ${name}`}
          loading={publish.isPending}
          onClick={() => publish.mutate(undefined)}
        >
          Publish
        </PermissionButton>
      </Group>
      {publish.error && <ErrorPanel error={errorOf(publish.error)} />}
    </div>
  )
}
