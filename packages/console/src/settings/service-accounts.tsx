import { Select, Table, TextInput } from '@mantine/core'
import type { Role, ServiceAccount } from '@sluice/contract'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useMay } from '../api/use-may.ts'
import { useWhole } from '../api/use-pages.ts'
import { Answer } from '../ui/answer.tsx'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { FormModal, textOf } from '../ui/form-modal.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { RoleSelect } from './role-select.tsx'
import { roleOptions } from './roles.ts'

/** The programs that act in the organization. */
export const ServiceAccounts = () => {
  const accounts = useWhole('listServiceAccounts', {})
  const create = useChange(
    (form: FormData) =>
      client.createServiceAccount({
        body: { data: { name: textOf(form, 'name'), role: textOf(form, 'role') as Role } },
      }),
    ['listServiceAccounts'],
  )
  const form = (
    <FormModal
      needs="service-accounts:write"
      label="New service account"
      title="New service account"
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <TextInput name="name" label="Name" placeholder="ci" required data-autofocus />
      <Select name="role" label="Role" data={roleOptions} defaultValue="DEVELOPER" allowDeselect={false} required />
    </FormModal>
  )
  return (
    <Section title="Service accounts" aside={form}>
      <Answer of={accounts}>
        {(all) =>
          all.length === 0 ? (
            <Notice title="There is no service account">
              A program that calls the interface gets one, with a role and API keys of its own.
            </Notice>
          ) : (
            <DataTable label="Service accounts" head={['Name', 'Role', 'Since', '']}>
              {all.map((account) => (
                <Account key={account.id} account={account} />
              ))}
            </DataTable>
          )
        }
      </Answer>
    </Section>
  )
}

const Account = ({ account: { id, name, role, createdAt } }: { account: ServiceAccount }) => {
  const mayChange = useMay('service-accounts:write')
  const change = useChange(
    (next: Role) => client.updateServiceAccount({ params: { id }, body: { data: { role: next } } }),
    ['listServiceAccounts'],
  )
  const remove = useChange(
    () => client.deleteServiceAccount({ params: { id } }),
    ['listServiceAccounts', 'listApiKeys'],
  )
  const refused = change.error ?? remove.error
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
          <ConfirmButton
            needs="service-accounts:write"
            variant="subtle"
            color="red"
            size="xs"
            label="Delete"
            ariaLabel={`Delete ${name}`}
            question={`Delete ${name}?`}
            loading={remove.isPending}
            onConfirm={() => remove.mutate(undefined)}
          >
            Its API keys end at once, and whatever uses them stops working.
          </ConfirmButton>
        </Table.Td>
      </Table.Tr>
      {refused && (
        <Table.Tr>
          <Table.Td colSpan={4}>
            <ErrorPanel error={errorOf(refused)} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}
