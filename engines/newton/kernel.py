# mypy: ignore-errors
"""The Warp kernels: a whole sample in one array, torques for many worlds. Warp compiles them: the types are Warp's."""

from __future__ import annotations

import warp as wp

from ...harness.channels import COLUMNS

P = wp.constant(COLUMNS["p_WB"].start)
Q = wp.constant(COLUMNS["q_WB"].start)
V = wp.constant(COLUMNS["v_WB"].start)
W = wp.constant(COLUMNS["w_WB"].start)
COUNT = wp.constant(COLUMNS["contact_count"].start)
FORCE = wp.constant(COLUMNS["f_B_W"].start)
NORMAL = wp.constant(COLUMNS["f_normal_B_W"].start)


@wp.kernel(enable_backward=False)
def gather(
    body_q: wp.array[wp.transform],
    body_qd: wp.array[wp.spatial_vector],
    body_com: wp.array[wp.vec3],
    shape_body: wp.array[wp.int32],
    contact_count: wp.array[wp.int32],
    shape0: wp.array[wp.int32],
    shape1: wp.array[wp.int32],
    normal: wp.array[wp.vec3],
    contact_f: wp.array[wp.spatial_vector],
    efc_address: wp.array2d[wp.int32],
    overflow: wp.array[wp.int32],
    harmful: wp.int32,
    out: wp.array2d[wp.float32],
):
    """Fill the row of one body; the thread after the last body fills the overflow bits. See `Readout`."""
    body = wp.tid()
    last = out.shape[0] - 1
    if body == last:  # this row remembers every overflow since the last reset, so that no step need be looked at
        out[last, 0] = float(int(out[last, 0]) | (overflow[0] & harmful))
        return
    q = wp.transform_get_rotation(body_q[body])
    p = wp.transform_get_translation(body_q[body])
    w = wp.spatial_bottom(body_qd[body])
    # Newton's body_qd has the velocity of the centre of mass; ours is that of the origin
    v = wp.spatial_top(body_qd[body]) - wp.cross(w, wp.quat_rotate(q, body_com[body]))
    points = float(0.0)  # noqa: UP018 (a Warp variable that a loop changes)
    net = wp.vec3(0.0, 0.0, 0.0)
    along = wp.vec3(0.0, 0.0, 0.0)
    for c in range(wp.min(contact_count[0], shape0.shape[0])):
        # slots that were detected but carry no constraint have no address
        if efc_address[c, 0] >= 0 and shape0[c] >= 0 and shape1[c] >= 0:
            first = shape_body[shape0[c]]
            second = shape_body[shape1[c]]
            if first == body or second == body:
                f = wp.spatial_top(contact_f[c])  # on shape0
                if second == body:
                    f = -f
                points += 1.0
                net += f
                along += wp.dot(f, normal[c]) * normal[c]
    for i in range(3):
        out[body, P + i] = p[i]
        out[body, V + i] = v[i]
        out[body, W + i] = w[i]
        out[body, Q + 1 + i] = q[i]
        out[body, FORCE + i] = net[i]
        out[body, NORMAL + i] = along[i]
    out[body, Q] = q[3]
    out[body, COUNT] = points


@wp.kernel(enable_backward=False)
def hold(row: wp.array[wp.float32], dofs: wp.array[wp.int32], joint_f: wp.array2d[wp.float32]):
    """Write one row of torques into every world's degrees of freedom `dofs`."""
    world, i = wp.tid()
    joint_f[world, dofs[i]] = row[i]


@wp.kernel(enable_backward=False)
def remember(overflow: wp.array[wp.int32], seen: wp.array[wp.int32]):
    """Keep every world's overflow bits of all steps, so that no step need be looked at."""
    world = wp.tid()
    seen[world] = seen[world] | overflow[world]
