"""Small robots of our own as text, for the porting checklist."""

# every quantity that the checklist reads from an MJCF, once, each with a value that is not the default
RICH = """\
<mujoco model="rich">
  <compiler angle="radian"/>
  <option timestep="0.004" gravity="0 0 -3.7" cone="elliptic"/>
  <default>
    <default class="arm"><joint armature="0.03" damping="0.4" frictionloss="0.2"/><geom friction="0.7"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="base" pos="0 0 1">
      <inertial pos="0.01 0 0" mass="2" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
      <geom name="trunk" type="box" size=".1 .1 .1"/>
      <body name="upper" pos="0 0 .2" quat="0.9 0.1 0.2 0.3" childclass="arm" gravcomp="0.5">
        <joint name="j1" axis="0 1 0" range="-1.5 0.8" ref="0.1" stiffness="3" springref="0.4" pos="0 0 -.02"/>
        <geom name="stem" type="capsule" fromto="0 0 0 0 0 .2" size=".03" mass="1.1"/>
        <body name="lower" pos="0 0 .25">
          <joint name="j2" axis="1 0 0" actuatorfrcrange="-30 30"/>
          <geom name="rod" type="cylinder" size=".03 .1" mass="0.4"/>
        </body>
      </body>
      <body name="slider" pos=".3 0 0">
        <joint name="s" type="slide" axis="1 0 0" range="0 .1" solreflimit="0.03 1"/>
        <geom name="block" type="box" size=".02 .03 .04" mass="0.6"/>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="base" body2="lower"/></contact>
  <equality><joint joint1="j2" joint2="s" polycoef="0 2 0 0 0"/></equality>
  <tendon><fixed name="t" stiffness="2"><joint joint="j1" coef="1"/><joint joint="s" coef="2"/></fixed></tendon>
  <actuator><motor name="m" joint="j1" gear="5" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="home" qpos="0.1 0.2 0.03"/></keyframe>
</mujoco>
"""

# what every engine can hold: hinges and a slide with masses, limits, damping and, behind motors, armature
PLAIN = """\
<mujoco model="plain">
  <compiler angle="radian"/>
  <worldbody>
    <body name="base">
      <inertial pos="0 0 .05" mass="3" diaginertia="0.02 0.02 0.03"/>
      <body name="upper" pos="0 0 .1" quat="0.9 0.1 0.2 0.3">
        <inertial pos="0.01 0.02 .1" mass="1.5" fullinertia="0.02 0.021 0.004 0.001 0.0005 0.0007"/>
        <joint name="shoulder" axis="0 0.6 0.8" range="-1 2" damping=".3" armature="0.02"/>
        <body name="lower" pos="0 0.05 .2">
          <inertial pos="0 0 .1" mass="1" diaginertia="0.01 0.011 0.002"/>
          <joint name="elbow" axis="1 0 0" range="-2 2" damping=".2" armature="0.01" pos="0 0 0.01"/>
          <body name="finger" pos="0 0 .2">
            <inertial pos="0 0 .01" mass="0.2" diaginertia="0.001 0.001 0.001"/>
            <joint name="grip" type="slide" axis="0 1 0" range="0 0.04" damping="1" armature="0.05"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="m1" joint="shoulder"/><motor name="m2" joint="elbow"/><motor name="m3" joint="grip"/>
  </actuator>
</mujoco>
"""

URDF = """\
<robot name="two">
  <link name="base">
    <inertial><origin xyz="0 0 0.05"/><mass value="3"/>
      <inertia ixx=".02" iyy=".02" izz=".03" ixy=".001" ixz="0" iyz=".002"/></inertial>
    <collision><geometry><box size=".2 .2 .1"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 .1" rpy=".1 .2 .3"/><mass value="1.5"/>
      <inertia ixx=".02" iyy=".021" izz=".004" ixy=".001" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 .1"/><geometry><cylinder radius=".03" length=".2"/></geometry></collision>
  </link>
  <link name="tool">
    <inertial><origin xyz="0 0 .02"/><mass value=".2"/>
      <inertia ixx=".0001" iyy=".0001" izz=".0001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="finger">
    <inertial><mass value=".05"/><inertia ixx=".0001" iyy=".0001" izz=".0001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="finger2">
    <inertial><mass value=".05"/><inertia ixx=".0001" iyy=".0001" izz=".0001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 .1" rpy="0 .3 0"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 3 4"/><limit lower="-1" upper="2" effort="40" velocity="3"/>
    <dynamics damping=".3" friction=".1"/></joint>
  <joint name="weld" type="fixed"><origin xyz="0 0 .2" rpy="0 0 1"/><parent link="upper"/><child link="tool"/></joint>
  <joint name="grip" type="prismatic"><origin xyz="0 .02 .05"/><parent link="tool"/><child link="finger"/>
    <axis xyz="0 1 0"/><limit lower="0" upper=".04" effort="10" velocity="1"/></joint>
  <joint name="grip2" type="prismatic"><origin xyz="0 -.02 .05"/><parent link="tool"/><child link="finger2"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper=".04" effort="10" velocity="1"/>
    <mimic joint="grip" multiplier="2"/></joint>
</robot>
"""
