import type { IacChangeReasons, IacChangeType, IacResource } from '@sluice/contract'
import {
  IconEqual,
  IconEye,
  IconLogin2,
  IconLogout2,
  IconMinus,
  IconPencil,
  IconPlus,
  IconRefresh,
} from '../ui/icons.tsx'

type ChangeTypeStyle = { label: string; color: string; Icon: typeof IconPlus; isDestructive?: true }

/** Types of change, most dangerous first, so that approvers don't miss them. */
export const changeTypes = {
  DELETE: { label: 'Delete', color: 'red', Icon: IconMinus, isDestructive: true },
  REPLACE: { label: 'Replace', color: 'orange', Icon: IconRefresh, isDestructive: true },
  UPDATE: { label: 'Update', color: 'water', Icon: IconPencil },
  CREATE: { label: 'Create', color: 'teal', Icon: IconPlus },
  IMPORT: { label: 'Import', color: 'grape', Icon: IconLogin2 },
  FORGET: { label: 'Forget', color: 'gray', Icon: IconLogout2 },
  READ: { label: 'Read', color: 'gray', Icon: IconEye },
  NO_OP: { label: 'Unchanged', color: 'gray', Icon: IconEqual },
} as const satisfies Record<IacChangeType, ChangeTypeStyle>

export const typesInOrder = Object.keys(changeTypes) as IacChangeType[]

export const changeTypeStyle = (type: IacChangeType): ChangeTypeStyle => changeTypes[type]

/** Sorts `queue[9]` before `queue[10]`. */
const byNumber = new Intl.Collator('en', { numeric: true })

/** Resource with the reasons for its change. */
export type PlannedResource = IacResource & { why?: IacChangeReasons | undefined }

export type Group = { type: IacChangeType; resources: PlannedResource[] }

/** Groups matching resources by type of change, most dangerous first, sorted by address. */
export function groupResources(
  resources: readonly PlannedResource[],
  { types, text }: { types: ReadonlySet<IacChangeType>; text: string },
): Group[] {
  const needle = text.trim().toLowerCase()
  const isWanted = ({ address, changeType }: IacResource) =>
    (types.size === 0 || types.has(changeType)) && address.toLowerCase().includes(needle)
  const byType = Map.groupBy(resources.filter(isWanted), ({ changeType }) => changeType)
  return typesInOrder.flatMap((type) => {
    const own = byType.get(type)
    return own ? [{ type, resources: own.toSorted((one, other) => byNumber.compare(one.address, other.address)) }] : []
  })
}
