import { Badge, Group, Stack, Text } from '@mantine/core'
import type { CloudAccount } from '@sluice/contract'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { CopyableId } from '../../ui/buttons/copyable-id.tsx'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { NameAndId } from '../../ui/tables/name-and-id.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ConnectAccount } from './connect-account.tsx'

const looks = {
  AWAITING_CONNECTION: { label: 'Not connected', color: 'orange' },
  CONNECTED: { label: 'Connected', color: 'teal' },
  ERROR: { label: 'Connection error', color: 'red' },
  DISCONNECTED: { label: 'Disconnected', color: 'gray' },
} as const

/** Manages cloud accounts. */
export const CloudAccounts = () => {
  const accounts = useCompleteList('listCloudAccounts', {})
  const [connecting, setConnecting] = useState<string>()
  const create = useApiMutation(
    (form: FormData) => {
      const data = { givenId: textFieldValue(form, 'givenId'), name: textFieldValue(form, 'name') }
      return client.createCloudAccount({ body: { data } })
    },
    ['listCloudAccounts'],
    ({ data }) => setConnecting(data.id),
  )
  const form = (
    <FormModal
      permission="cloud-accounts:write"
      command="addCloudAccount"
      label="Add account"
      title="Add cloud account"
      submit="Continue"
      change={create}
      button={{ size: 'xs' }}
    >
      <NameAndId example="Production" />
    </FormModal>
  )
  const account = accounts.data?.find(({ id }) => id === connecting)
  return (
    <Section title="Cloud accounts" aside={form}>
      <QueryResult of={accounts}>
        {(all) => (
          <Rows
            of={all}
            empty={
              <Notice title="No cloud accounts yet">
                Add an account to deploy to it. Sluice uses a role that you create there.
              </Notice>
            }
          >
            {(one) => <Account account={one} onConnect={() => setConnecting(one.id)} />}
          </Rows>
        )}
      </QueryResult>
      {account && <ConnectAccount key={account.id} account={account} onClose={() => setConnecting(undefined)} />}
    </Section>
  )
}

const Account = ({ account, onConnect }: { account: CloudAccount; onConnect: () => void }) => {
  const { id, name, givenId, status, cloudId, cloudArn } = account
  const check = useApiMutation(
    (roleArn: string) => client.connectCloudAccount({ params: { id }, body: { data: { roleArn } } }),
    ['listCloudAccounts', 'getCloudConnection'],
  )
  const remove = useApiMutation(() => client.deleteCloudAccount({ params: { id } }), ['listCloudAccounts'])
  const secret = useApiMutation(() => client.createEventSecret({ params: { id } }), [])
  const isProduction = useOperation('getProductionMark', { params: { id } }).data?.data.isProduction
  const mark = useApiMutation(
    () => client.updateProductionMark({ params: { id }, body: { data: { isProduction: !isProduction } } }),
    ['getProductionMark'],
  )
  const mutationError = check.error ?? remove.error ?? secret.error ?? mark.error
  return (
    <Stack gap="xs" py="sm">
      <Group justify="space-between">
        <div>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {[givenId, cloudId].filter(Boolean).join(' · ')}
          </Text>
        </div>
        <Group gap="xs">
          {isProduction && (
            <Badge color="gray" variant="light" tt="none">
              Production
            </Badge>
          )}
          <Badge color={looks[status].color} variant="light" tt="none">
            {looks[status].label}
          </Badge>
        </Group>
      </Group>
      {cloudArn && (
        <Group>
          <CopyableId id={cloudArn} />
        </Group>
      )}
      {cloudArn && <RoleState account={account} />}
      {check.isSuccess && status === 'CONNECTED' && (
        <Text size="sm" role="status">
          Connection verified: the role accepts only requests with the external ID.
        </Text>
      )}
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      <Group gap="xs">
        <PermissionButton
          permission="cloud-accounts:write"
          size="xs"
          variant={cloudArn ? 'default' : 'filled'}
          onClick={onConnect}
        >
          {cloudArn ? 'Change role' : 'Connect'}
        </PermissionButton>
        {cloudArn && (
          <TextLink to="/console/import" search={{ cloudAccountId: id }} size="sm">
            Import services
          </TextLink>
        )}
        {cloudArn && (
          <PermissionButton
            permission="cloud-accounts:write"
            size="xs"
            variant="default"
            loading={check.isPending}
            onClick={() => check.mutate(cloudArn)}
          >
            Test connection
          </PermissionButton>
        )}
        <ConfirmButton
          permission="cloud-accounts:write"
          size="xs"
          variant="default"
          label="Rotate event secret"
          question={`Rotate the event secret of ${name}?`}
          loading={secret.isPending}
          onConfirm={() => secret.mutate(undefined)}
        >
          The current secret stops working. Until the event bus sends the new one, Sluice polls the cloud for changes.
        </ConfirmButton>
        {isProduction !== undefined && (
          <ConfirmButton
            permission="cloud-accounts:write"
            size="xs"
            variant="default"
            label={isProduction ? 'Unmark as production' : 'Mark as production'}
            ariaLabel={`${isProduction ? 'Unmark as production' : 'Mark as production'}: ${name}`}
            question={isProduction ? `Unmark ${name} as production?` : `Mark ${name} as production?`}
            loading={mark.isPending}
            onConfirm={() => mark.mutate(undefined)}
          >
            {isProduction
              ? 'Preview environments of pull requests can use this account from then on.'
              : 'Preview environments of pull requests can no longer use this account. Existing ones can still be torn down.'}
          </ConfirmButton>
        )}
        <RemoveButton permission="cloud-accounts:write" label="Disconnect" name={name} change={remove}>
          Sluice removes the account and its events. Your resources keep running. Delete the role in the account as
          well.
        </RemoveButton>
      </Group>
      <SecretDialog title={`Event secret of ${name}`} isOpen={secret.data !== undefined} onClose={secret.reset}>
        <Copyable label="Event secret" value={secret.data?.data.eventSecret ?? ''} />
      </SecretDialog>
    </Stack>
  )
}

/** Shows connection errors and available role updates. */
const RoleState = ({ account }: { account: CloudAccount }) => {
  const { id, status, roleVersion, latestRoleVersion, latestRoleVersionDescription } = account
  const connection = useOperation('getCloudConnection', { params: { id } }, { enabled: status !== 'CONNECTED' })
  const error = status === 'CONNECTED' ? undefined : connection.data?.data.error
  return (
    <>
      {error && <ErrorPanel error={error} />}
      {roleVersion !== latestRoleVersion && (
        <Text size="sm">
          {roleVersion === undefined ? 'The role has no version. ' : `The role has version ${roleVersion}. `} Version{' '}
          {latestRoleVersion} is available: {latestRoleVersionDescription}
        </Text>
      )}
    </>
  )
}
