import { Select, Table, Text, TextInput } from '@mantine/core'
import type { ApiKey } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** Lifetimes of keys. Days. */
const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'No expiration' },
]

/** Lists the member's API keys, or all keys of the organization if the member has the permission. */
export const ApiKeys = () => {
  const keys = useCompleteList('listApiKeys', {})
  const mayAll = usePermission('api-keys:write')
  const accounts = useCompleteList('listServiceAccounts', {})
  const members = useCompleteList('listMemberships', {})
  const create = useApiMutation(
    (form: FormData) => client.createApiKey({ body: { data: givenOf(form) } }),
    ['listApiKeys'],
  )
  const holderOf = ({ serviceAccountId, membershipId }: ApiKey): string => {
    const member = members.data?.find(({ id }) => id === membershipId)
    return member?.email ?? accounts.data?.find(({ id }) => id === serviceAccountId)?.name ?? '–'
  }
  const made = create.data?.data
  const form = (
    <FormModal
      command="createApiKey"
      label="Create API key"
      title="Create API key"
      outcome="The key has your permissions. It is shown once, after you create it."
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <TextInput name="name" label="Name" placeholder="ci" required data-autofocus />
      <Select name="days" label="Expiration" data={lifetimes} defaultValue="90" allowDeselect={false} />
      {mayAll.isAllowed && (
        <Select
          name="serviceAccountId"
          label="Acts as"
          data={[
            { value: '', label: 'Me' },
            ...(accounts.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          defaultValue=""
          allowDeselect={false}
        />
      )}
    </FormModal>
  )
  return (
    <Section title={mayAll.isAllowed ? 'All API keys' : 'Your API keys'} aside={form}>
      <QueryResult of={keys}>
        {(all) =>
          all.length === 0 ? (
            <Notice title="No API keys yet">
              Programs send an API key with each request. Create one for each program.
            </Notice>
          ) : (
            <DataTable label="API keys" head={['Name', 'Acts as', 'Last used', 'Expires', '']} minWidth={680}>
              {all.map((key) => (
                <Key key={key.id} of={key} holder={holderOf(key)} />
              ))}
            </DataTable>
          )
        }
      </QueryResult>
      <SecretDialog title={`API key “${made?.name}”`} isOpen={made !== undefined} onClose={create.reset}>
        <Copyable label="Key" value={made?.token ?? ''} />
        <Text size="sm" c="dimmed">
          Send it in the Authorization header: Bearer …
        </Text>
      </SecretDialog>
    </Section>
  )
}

function givenOf(form: FormData): { name: string; expiresAt?: string; serviceAccountId?: string } {
  const days = Number(textFieldValue(form, 'days'))
  const serviceAccountId = textFieldValue(form, 'serviceAccountId')
  return {
    name: textFieldValue(form, 'name'),
    ...(days > 0 && { expiresAt: new Date(Date.now() + days * 86_400_000).toISOString() }),
    ...(serviceAccountId !== '' && { serviceAccountId }),
  }
}

const Key = ({ of: { id, name, tokenHint, lastUsedAt, expiresAt }, holder }: { of: ApiKey; holder: string }) => {
  const revoke = useApiMutation(() => client.deleteApiKey({ params: { id } }), ['listApiKeys'])
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {tokenHint}…
        </Text>
      </Table.Td>
      <Table.Td>{holder}</Table.Td>
      <Table.Td>{lastUsedAt ? <TimeAgo at={lastUsedAt} /> : 'Never'}</Table.Td>
      <Table.Td>{expiresAt ? <TimeAgo at={expiresAt} /> : 'Never'}</Table.Td>
      <Table.Td ta="end">
        {revoke.error && <ErrorPanel error={errorOf(revoke.error)} />}
        <ConfirmButton
          variant="subtle"
          color="red"
          size="xs"
          label="Revoke"
          ariaLabel={`Revoke ${name}`}
          question={`Revoke “${name}”?`}
          loading={revoke.isPending}
          onConfirm={() => revoke.mutate(undefined)}
        >
          Anything that uses this key stops working immediately. You can’t restore a revoked key.
        </ConfirmButton>
      </Table.Td>
    </Table.Tr>
  )
}
