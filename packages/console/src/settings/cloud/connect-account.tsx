import { Button, Group, Modal, Stack, Stepper, Text, TextInput } from '@mantine/core'
import type { CloudAccount } from '@sluice/contract'
import { type SubmitEvent, useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { IconExternalLink } from '../../ui/icons.tsx'
import { QueryResult } from '../../ui/query-result.tsx'

type Props = { account: CloudAccount; onClose: () => void }

/** Guides through creating the role and connecting the account. */
export const ConnectAccount = ({ account: { id, name, cloudArn }, onClose }: Props) => {
  const [step, setStep] = useState(0)
  const link = useOperation('getConnectionLink', { params: { id } })
  const connect = useApiMutation(
    (roleArn: string) => client.connectCloudAccount({ params: { id }, body: { data: { roleArn } } }),
    ['listCloudAccounts'],
    onClose,
  )
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    connect.mutate(textFieldValue(new FormData(event.currentTarget), 'roleArn'))
  }
  return (
    <Modal opened onClose={onClose} title={`Connect ${name}`} size="lg">
      <Stepper active={step} onStepClick={setStep} size="sm" mb="md">
        <Stepper.Step label="Create role" description="In your account">
          <QueryResult of={link}>
            {({ data: { url, externalId, principal, trustPolicy } }) => (
              <Stack gap="sm">
                <Text size="sm">
                  Sluice acts in the account through a role that only Sluice can assume, and only with this external ID.
                </Text>
                {url ? (
                  <Group>
                    <Button
                      component="a"
                      href={url}
                      target="_blank"
                      rel="noreferrer"
                      rightSection={<IconExternalLink size={16} aria-hidden />}
                    >
                      Create it with the template
                    </Button>
                  </Group>
                ) : (
                  <Text size="sm">Or create it manually with this trust policy.</Text>
                )}
                <Copyable label="External ID" value={externalId} />
                <Copyable label="Trusted principal" value={principal} />
                <Copyable label="Trust policy" value={trustPolicy} />
                <Group justify="flex-end">
                  <Button onClick={() => setStep(1)}>Continue</Button>
                </Group>
              </Stack>
            )}
          </QueryResult>
        </Stepper.Step>
        <Stepper.Step label="Connect" description="With the role ARN">
          <form onSubmit={submit}>
            <Stack gap="sm">
              {connect.error && <ErrorPanel error={errorOf(connect.error)} />}
              <TextInput
                name="roleArn"
                label="Role ARN"
                description="Listed in the outputs of the template and on the role’s page in IAM."
                placeholder="arn:aws:iam::111122223333:role/sluice"
                defaultValue={cloudArn ?? ''}
                required
              />
              <Group justify="space-between">
                <Button variant="default" onClick={() => setStep(0)}>
                  Back
                </Button>
                <Button type="submit" loading={connect.isPending}>
                  Connect
                </Button>
              </Group>
            </Stack>
          </form>
        </Stepper.Step>
      </Stepper>
    </Modal>
  )
}
