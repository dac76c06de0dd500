import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Environment } from '@sluice/contract'
import { lazy, Suspense, useRef } from 'react'
import { PermissionScopeContext } from '../api/scope.ts'
import { UnsavedEntries } from '../ui/forms/unsaved-entries.tsx'
import { Loading } from '../ui/loading.tsx'

const NetworkForm = lazy(() => import('./network-form.tsx').then((module) => ({ default: module.NetworkForm })))

/** Button for the default network of an environment. Loads data only when opened. */
export const DefaultNetworkButton = ({ of: { id, projectId, name } }: { of: Environment }) => {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [isLeaving, { open: ask, close: stay }] = useDisclosure(false)
  const isTouched = useRef(false)
  const begin = () => {
    isTouched.current = false
    stay()
    open()
  }
  const leave = () => (isTouched.current && !isLeaving ? ask() : close())
  return (
    <>
      <Button variant="default" size="xs" aria-label={`Default network of ${name}`} onClick={begin}>
        Default network
      </Button>
      <Modal opened={isOpen} onClose={leave} title={`Default network of ${name}`}>
        <PermissionScopeContext value={{ projectId, environmentId: id }}>
          <Suspense fallback={<Loading />}>
            <NetworkForm
              environmentId={id}
              name={name}
              onTouch={(touched) => (isTouched.current = touched)}
              onDone={close}
            />
          </Suspense>
        </PermissionScopeContext>
        {isLeaving && <UnsavedEntries onStay={stay} onDiscard={close} />}
      </Modal>
    </>
  )
}
