import { Box } from '@mantine/core'
import type { Environment, Service, ServiceHealth, ServicePromotionCandidate } from '@sluice/contract'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { AllCheckbox, SelectionCheckbox } from '../bulk/selection-checkbox.tsx'
import type { Selection } from '../bulk/use-selection.ts'
import { useHealth } from '../services/use-health.ts'
import { TextLink } from '../ui/text-link.tsx'
import { variables } from '../ui/variables.ts'
import { healthRequests } from './health-requests.ts'
import classes from './matrix.module.css'
import { placedServices } from './placed-services.ts'
import { ServiceCell } from './service-cell.tsx'
import { ServiceLink } from './service-link.tsx'

export type MatrixProps = {
  projectId: string
  services: readonly Service[]
  /** Promotion candidates by the `givenId` of services. */
  promotionCandidates: Readonly<Record<string, readonly ServicePromotionCandidate[]>>
  /** In configured order. */
  environments: readonly Environment[]
  totalCount: number
  /** Rows that are selected; undefined for users without an action. */
  selection: Selection | undefined
  /** Loads more; called when the last row is visible. */
  onEnd: () => void
}

/** Height of a row and of the head. Pixels. */
const [rowHeight, headHeight] = [36, 32]

/** Shows services by environment. Virtualized, because there can be hundreds. */
export const Matrix = ({ services, totalCount, onEnd, ...rest }: MatrixProps) => {
  const { environments, selection } = rest
  const container = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: services.length,
    getScrollElement: () => container.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => services[index]?.givenId ?? index,
    overscan: 8,
    paddingStart: headHeight,
    scrollPaddingStart: headHeight,
  })
  const rows = virtual.getVirtualItems()
  const last = rows.at(-1)?.index
  const healths = useHealth(
    healthRequests(
      services,
      rows.map(({ index }) => index),
    ),
  )
  useEffect(() => {
    if (last !== undefined && last >= services.length - 10) onEnd()
  }, [last, services.length, onEnd])
  return (
    <Box
      ref={container}
      component="section"
      className={classes.scroll}
      tabIndex={0}
      aria-label="Services and environments"
      data-scrollarea-viewport
    >
      <table
        aria-label="Services by environment"
        aria-rowcount={totalCount + 1}
        className={classes.table}
        style={{ height: virtual.getTotalSize(), ...variables({ '--environments': String(environments.length) }) }}
      >
        <thead className={classes.head}>
          <tr aria-rowindex={1} className={classes.row}>
            <th scope="col" className={`${classes.cell} ${classes.name}`}>
              <div className={classes.selectable}>
                {selection && <AllCheckbox of={selection} count={services.length} />}
                Service
              </div>
            </th>
            {environments.map(({ id, name }) => (
              <th key={id} scope="col" className={classes.cell} title={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={classes.services}>
          {rows.map(({ index, key, start }) => {
            const service = services[index]
            return (
              service && (
                <tr
                  key={key}
                  aria-rowindex={index + 2}
                  className={`${classes.row} ${classes.service}`}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <Cells service={service} healths={healths} {...rest} />
                </tr>
              )
            )
          })}
        </tbody>
      </table>
    </Box>
  )
}

type CellsProps = Pick<MatrixProps, 'projectId' | 'promotionCandidates' | 'environments' | 'selection'> & {
  service: Service
  /** Health by instance ID, as far as it is loaded. */
  healths: Readonly<Record<string, ServiceHealth>>
}

const Cells = ({ projectId, service, promotionCandidates, environments, selection, healths }: CellsProps) => {
  const placed = placedServices(service, environments, promotionCandidates[service.givenId])
  return (
    <>
      <th scope="row" className={`${classes.cell} ${classes.name}`}>
        <div className={classes.selectable}>
          {selection && <SelectionCheckbox of={selection} id={service.givenId} label={`Select ${service.name}`} />}
          <ServiceLink projectId={projectId} service={service} />
        </div>
      </th>
      {environments.map((environment) => {
        const here = placed.find((one) => one.environment === environment)
        return (
          <td key={environment.id} className={classes.cell}>
            {here ? (
              <ServiceCell of={here} serviceName={service.name} health={healths[here.place.moduleInstanceId]} />
            ) : (
              <TextLink
                to="/console/environments/$id/new"
                params={{ id: environment.id }}
                c="dimmed"
                size="sm"
                aria-label={`Create instance in ${environment.name}`}
              >
                –
              </TextLink>
            )}
          </td>
        )
      })}
    </>
  )
}
