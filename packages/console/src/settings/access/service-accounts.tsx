import { Select, Table, TextInput } from '@mantine/core'
import type { Role, ServiceAccount } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { AddForm } from '../../ui/forms/add-form.tsx'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ErrorRow } from '../../ui/tables/error-row.tsx'
import { RecordTable } from '../../ui/tables/record-table.tsx'
import { TimeAgo } from '../../ui/time.tsx'
import { RoleSelect } from './role-select.tsx'
import { roleOptions } from './roles.ts'

/** Lists service accounts. */
export const ServiceAccounts = () => {
  const accounts = useCompleteList('listServiceAccounts', {})
  const create = useApiMutation(
    (form: FormData) =>
      client.createServiceAccount({
        body: { data: { name: textFieldValue(form, 'name'), role: textFieldValue(form, 'role') as Role } },
      }),
    ['listServiceAccounts'],
  )
  const form = (
    <AddForm
      permission="service-accounts:write"
      command="createServiceAccount"
      label="Create service account"
      submit="Create"
      change={create}
    >
      <TextInput name="name" label="Name" placeholder="ci" required data-autofocus />
      <Select name="role" label="Role" data={roleOptions} defaultValue="DEVELOPER" allowDeselect={false} required />
    </AddForm>
  )
  return (
    <RecordTable
      title="Service accounts"
      of={accounts}
      head={['Name', 'Role', 'Created', '']}
      aside={form}
      none={
        <Notice title="No service accounts yet">
          Programs that call the API use a service account, which has its own role and API keys.
        </Notice>
      }
    >
      {(account) => <Account key={account.id} account={account} />}
    </RecordTable>
  )
}

const Account = ({ account: { id, name, role, createdAt } }: { account: ServiceAccount }) => {
  const mayChange = usePermission('service-accounts:write')
  const change = useApiMutation(
    (next: Role) => client.updateServiceAccount({ params: { id }, body: { data: { role: next } } }),
    ['listServiceAccounts'],
  )
  const remove = useApiMutation(
    () => client.deleteServiceAccount({ params: { id } }),
    ['listServiceAccounts', 'listApiKeys'],
  )
  const mutationError = change.error ?? remove.error
  return (
    <>
      <Table.Tr>
        <Table.Td>{name}</Table.Td>
        <Table.Td w={170}>
          <RoleSelect of={name} role={role} mayChange={mayChange} change={change} />
        </Table.Td>
        <Table.Td>
          <TimeAgo at={createdAt} />
        </Table.Td>
        <Table.Td ta="end">
          <RemoveButton permission="service-accounts:write" label="Delete" name={name} change={remove}>
            Its API keys are revoked immediately, and anything that uses them stops working.
          </RemoveButton>
        </Table.Td>
      </Table.Tr>
      <ErrorRow error={mutationError} columns={4} />
    </>
  )
}
