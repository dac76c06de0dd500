import { Button, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Deployment } from '@sluice/contract'
import { IconArrowBackUp, IconRefresh } from '@tabler/icons-react'
import { isOver } from './shown.ts'
import type { Decisions } from './use-decisions.ts'

type Props = { deployment: Deployment; decisions: Decisions }

/** Stop one that is under way, or release one that is over again. */
export const DeploymentActions = ({ deployment, decisions }: Props) => {
  const [isAsking, { open, close }] = useDisclosure(false)
  if (!decisions.mayDecide) return null
  if (isOver(deployment)) {
    return (
      <Group>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={decisions.redeploy.isPending}
          onClick={() => decisions.redeploy.mutate()}
        >
          Deploy this version again
        </Button>
      </Group>
    )
  }
  if (deployment.status === 'ROLLING_BACK') return null
  const cancel = () => {
    decisions.cancel.mutate()
    close()
  }
  return (
    <Group>
      <Button
        color="red"
        variant="light"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        loading={decisions.cancel.isPending}
        onClick={open}
      >
        Cancel and roll back
      </Button>
      <Modal opened={isAsking} onClose={close} title="Cancel this deployment?">
        <Text size="sm">The old version takes all of the traffic again, and the new one is stopped.</Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            Keep it going
          </Button>
          <Button color="red" onClick={cancel}>
            Cancel it
          </Button>
        </Group>
      </Modal>
    </Group>
  )
}
