import { Group, List, Stack, Table, Text, TextInput } from '@mantine/core'
import type { Environment, ImportableResource, ModuleImport } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Facts } from '../ui/facts.tsx'
import { slugOf } from '../ui/forms/slug-input.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { DataTable } from '../ui/tables/data-table.tsx'
import { TimeAgo } from '../ui/time.tsx'

type Props = { resource: ImportableResource; environment: Environment }

/** Previews an import with a dry run. */
export const ImportForm = ({ resource: { resourceArn, name: itsName }, environment }: Props) => {
  const router = useRouter()
  const [name, setName] = useState(itsName)
  const givenId = slugOf(name)
  const data = { resourceArn, environmentId: environment.id }
  // Uses a unique name, so that existing names don't matter for the preview.
  const dry = { ...data, name: itsName, givenId: `import-${crypto.randomUUID().slice(0, 8)}`, dryRun: true }
  const preview = useQuery({
    // Not keyed by operation, so that changes don't refetch it: after the import it would fail.
    queryKey: ['import preview', data],
    queryFn: ({ signal }) => client.importModuleInstance({ body: { data: dry } }, { signal }),
    retry: false,
    staleTime: 30_000,
  })
  const change = useApiMutation(
    () => client.importModuleInstance({ body: { data: { ...data, name, givenId } } }),
    ['listModuleInstances', 'listServices', 'listImportable', 'listDeployments'],
    ({ data: { moduleInstanceId: id } }) => id && router.navigate({ to: '/console/instances/$id', params: { id } }),
  )
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(undefined)
  }
  return (
    <Section title={`Import ${itsName} into ${environment.name}`}>
      <QueryResult of={preview}>
        {({ data: found }) => (
          <form onSubmit={submit}>
            <Stack gap="md">
              <Facts
                facts={{
                  'First release': [found.running.version, found.running.what].filter(Boolean).join(' · '),
                  Since: found.running.since && <TimeAgo at={found.running.since} />,
                  Module: found.moduleType,
                  Infrastructure: 'None: Sluice doesn’t change or destroy the infrastructure of this service.',
                }}
              />
              <Remarks remarks={found.remarks} />
              <Inputs input={found.input} />
              {change.error && <ErrorPanel error={errorOf(change.error)} />}
              <TextInput
                label="Name"
                description={`ID in the environment: ${givenId}`}
                required
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                maw={400}
              />
              <Group>
                <PermissionButton permission="module-instances:write" type="submit" loading={change.isPending}>
                  Import
                </PermissionButton>
              </Group>
            </Stack>
          </form>
        )}
      </QueryResult>
    </Section>
  )
}

const Remarks = ({ remarks }: Pick<ModuleImport, 'remarks'>) =>
  remarks.length === 0 ? (
    <Text size="sm">
      All settings were read as inputs. A release of the same image would deploy what is running now.
    </Text>
  ) : (
    <div>
      <Text fw={600} size="sm" mb={4}>
        Before you import
      </Text>
      <List size="sm" spacing={4}>
        {remarks.map(({ subject, message }) => (
          <List.Item key={`${subject} ${message}`}>
            <b>{subject}</b>: {message}
          </List.Item>
        ))}
      </List>
    </div>
  )

/** Shows the discovered inputs. They include secrets if the task definition has them in plain text. */
const Inputs = ({ input }: Pick<ModuleImport, 'input'>) => {
  const rows = Object.entries(input).filter(([, value]) => value !== null && !isEmpty(value))
  return (
    <details>
      <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
        {rows.length} inputs found
      </Text>
      <DataTable label="Inputs" head={['Input', 'Value']} minWidth={480}>
        {rows.map(([id, value]) => (
          <Table.Tr key={id}>
            <Table.Td ff="monospace" fz="sm">
              {id}
            </Table.Td>
            <Table.Td ff="monospace" fz="sm" style={{ overflowWrap: 'anywhere' }}>
              {typeof value === 'string' ? value : JSON.stringify(value)}
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </details>
  )
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value ?? {}).length === 0
