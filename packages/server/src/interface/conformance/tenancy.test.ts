import {
  describeHidden,
  describeRepetition,
  describeRights,
  describeWalls,
  useTwoOrganizations,
} from '../../testing/tenancy.ts'

useTwoOrganizations()
describeWalls()
describeRights()
describeHidden()
describeRepetition()
